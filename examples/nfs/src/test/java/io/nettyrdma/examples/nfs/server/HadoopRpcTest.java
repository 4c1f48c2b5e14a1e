// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.oncrpc.RpcAcceptedReply;
import org.apache.hadoop.oncrpc.RpcAcceptedReply.AcceptState;
import org.apache.hadoop.oncrpc.RpcCall;
import org.apache.hadoop.oncrpc.RpcInfo;
import org.apache.hadoop.oncrpc.RpcProgram;
import org.apache.hadoop.oncrpc.RpcResponse;
import org.apache.hadoop.oncrpc.RpcUtil;
import org.apache.hadoop.oncrpc.XDR;
import org.apache.hadoop.oncrpc.security.VerifierNone;
import org.junit.jupiter.api.Test;

/** An existing RPC stack, Hadoop's, which knows nothing of RDMA, above the handler of the transport. */
class HadoopRpcTest {

    private static final int PROGRAM = 0x2000_0001;

    /** Its one procedure adds one. */
    @Sharable
    private static final class Adder extends RpcProgram {

        Adder() {
            super("adder", "localhost", 0, PROGRAM, 1, 1, null, true);
        }

        @Override
        protected void handleInternal(ChannelHandlerContext context, RpcInfo info) {
            XDR reply = new XDR();
            int xid = ((RpcCall) info.header()).getXid();
            RpcAcceptedReply.getInstance(xid, AcceptState.SUCCESS, new VerifierNone())
                    .write(reply);
            reply.writeInt(info.data().readInt() + 1);
            ByteBuf out = Unpooled.wrappedBuffer(reply.asReadOnlyWrap().buffer());
            RpcUtil.sendRpcResponse(context, new RpcResponse(out, info.remoteAddress()));
        }

        @Override
        protected boolean isIdempotent(RpcCall call) {
            return true;
        }
    }

    /** In the place of Hadoop's {@code STAGE_RPC_TCP_RESPONSE}, which adds a record mark. */
    private static final class ReplyStage extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(((RpcResponse) message).data());
        }
    }

    @Test
    void programOfHadoopAnswersOverRdma() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        Adder adder = new Adder();
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline()
                                .addLast(new RpcRdmaResponderHandler())
                                .addLast(RpcUtil.STAGE_RPC_MESSAGE_PARSER)
                                .addLast(adder)
                                .addLast(new ReplyStage());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        try (NfsClient client = NfsClient.rdma(group, (InetSocketAddress) listener.localAddress())) {
            ByteBuf call = RpcHeaders.call(listener.alloc(), 1, PROGRAM, 1, 1).writeInt(41);
            assertThat(NfsClient.accepted(client.exchange(call)).readInt()).isEqualTo(42);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }
}
