// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.rpcping;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.net.InetSocketAddress;

/** Everything an RPC-over-RDMA client needs: one handler, and calls as futures. */
public final class RpcClient {

    private final Channel channel;
    private final RpcRdmaRequester requester;

    private RpcClient(Channel channel) {
        this.channel = channel;
        requester = RpcRdmaRequester.of(channel);
    }

    /**
     * Connects, for at most as long as a call may take.
     *
     * @param group the event loops, made with {@link io.nettyrdma.channel.RdmaIoHandler#newFactory}
     */
    public static RpcClient connect(EventLoopGroup group, InetSocketAddress address, RpcRdmaConfig config)
            throws InterruptedException {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        config.callTimeout().toMillis())
                .handler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel made) {
                        made.pipeline().addLast(new RpcRdmaRequesterHandler(config), new End());
                    }
                });
        return new RpcClient(bootstrap.connect(address).sync().channel());
    }

    /** The connection, for its event loop and its end. */
    public Channel channel() {
        return channel;
    }

    /**
     * Calls a procedure without arguments.
     *
     * @return the reply's accept status, -1 if the call is denied; fails if it has no answer in time
     */
    public Future<Integer> call(int program, int version, int procedure) {
        Promise<Integer> status = channel.eventLoop().newPromise();
        ByteBuf call = RpcHeaders.call(channel.alloc(), requester.nextXid(), program, version, procedure);
        requester.call(call).addListener(future -> {
            if (!future.isSuccess()) {
                status.setFailure(future.cause());
                return;
            }
            ByteBuf reply = (ByteBuf) future.getNow();
            status.setSuccess(RpcHeaders.acceptStatus(reply));
            reply.release();
        });
        return status;
    }

    /**
     * The last handler: closes a connection on which something went wrong. The calls that are in flight fail with the
     * reason, so it says nothing.
     */
    private static final class End extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
