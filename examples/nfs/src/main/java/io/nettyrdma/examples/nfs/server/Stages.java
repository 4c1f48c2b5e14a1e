// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.nettyrdma.examples.guard.CallCounter;
import io.nettyrdma.examples.nfs.protocol.RecordMarkCodec;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import org.apache.hadoop.oncrpc.RpcResponse;
import org.apache.hadoop.oncrpc.RpcUtil;

/** The stages of a connection: whole messages come from the transport; what happens to them is Hadoop's. */
final class Stages {

    /** Octets of replies that wait for a peer to take them before no more calls of it are read: one of the longest. */
    private static final WriteBufferWaterMark UNREAD = new WriteBufferWaterMark(512 << 10, 1 << 20);

    private Stages() {}

    /** RPC over RDMA. */
    static void addOverRdma(Channel channel, RpcRdmaConfig config, WorkerProgram program) {
        channel.pipeline().addLast(new RpcRdmaResponderHandler(config));
        addProgram(channel, program);
    }

    /**
     * RPC over TCP, within the limits of the program.
     *
     * @param maxRecordBytes longest call, its record marks included
     */
    static void addOverTcp(Channel channel, int maxRecordBytes, WorkerProgram program) {
        channel.config().setWriteBufferWaterMark(UNREAD);
        channel.pipeline()
                .addLast(new RecordMarkCodec(maxRecordBytes))
                .addLast(new FlowControlHandler())
                .addLast(program.limitOverTcp());
        addProgram(channel, program);
    }

    private static void addProgram(Channel channel, WorkerProgram program) {
        channel.pipeline()
                .addLast(new FlushConsolidationHandler(
                        FlushConsolidationHandler.DEFAULT_EXPLICIT_FLUSH_AFTER_FLUSHES, true))
                .addLast(new CallCounter())
                .addLast(CallGuard.INSTANCE)
                .addLast(RpcUtil.STAGE_RPC_MESSAGE_PARSER)
                .addLast(program)
                .addLast(new ReplyStage());
    }

    /**
     * In the place of Hadoop's {@code STAGE_RPC_TCP_RESPONSE}: replies arrive as inbound messages and leave without a
     * record mark. The transport may refuse a reply that it cannot convey, and then answers the client itself.
     */
    private static final class ReplyStage extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(((RpcResponse) message).data());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
