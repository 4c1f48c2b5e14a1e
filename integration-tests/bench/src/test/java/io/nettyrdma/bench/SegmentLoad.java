// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls whose data is in one chunk of many segments, as requesters send them whose memory is scattered. The requester
 * is made by hand, because this project's own needs one segment.
 */
final class SegmentLoad extends Workload {

    private static final int CREDITS = 8;
    private static final int INLINE_BYTES = 4096;

    private final Nfs3Call call;
    private final int segments;
    private final Scenario scenario;
    private final RpcService service;

    SegmentLoad(Nfs3Call call, int segments, Scenario scenario) {
        this.call = call;
        this.segments = segments;
        this.scenario = scenario;
        service = new RpcService(call, scenario.sizeBytes());
    }

    @Override
    void initServer(Channel channel) {
        channel.pipeline().addLast(new RpcRdmaResponderHandler(), service);
    }

    @Override
    void initClient(Channel channel) {
        byte[] privateData = new CmPrivateData(false, INLINE_BYTES, INLINE_BYTES).encode();
        channel.config().setOption(RdmaChannelOption.RDMA_PRIVATE_DATA, privateData);
        channel.config().setOption(RdmaChannelOption.RDMA_RECEIVE_SIZE, INLINE_BYTES);
        channel.pipeline().addLast(new Client());
    }

    @Override
    void begin(Channel channel) {
        channel.pipeline().get(Client.class).begin(channel);
    }

    @Override
    void forget() {
        super.forget();
        service.release();
    }

    private final class Client extends ChannelInboundHandlerAdapter {

        private RdmaMemory memory;
        private ChunkLists chunks;
        private int xid;
        private long sentAt;

        void begin(Channel channel) {
            if (memory == null) {
                try {
                    RdmaAccess access = call == Nfs3Call.WRITE ? RdmaAccess.REMOTE_READ : RdmaAccess.REMOTE_WRITE;
                    memory = ((RdmaChannel) channel).allocateMemory(scenario.sizeBytes(), access);
                } catch (IOException e) {
                    trips.fail(e);
                    return;
                }
                chunks = chunks(memory.segment());
            }
            send(channel);
        }

        private ChunkLists chunks(RemoteSegment whole) {
            int bytes = scenario.sizeBytes() / segments;
            List<PlainSegment> plain = new ArrayList<>();
            for (int i = 0; i < segments; i++) {
                plain.add(new PlainSegment(whole.key(), bytes, whole.address() + (long) i * bytes));
            }
            if (call == Nfs3Call.READ) {
                return new ChunkLists(List.of(), List.of(new WriteChunk(plain)), null);
            }
            return new ChunkLists(
                    plain.stream()
                            .map(segment -> new ReadSegment(Nfs3Call.WRITE_DATA_OFFSET, segment))
                            .toList(),
                    List.of(),
                    null);
        }

        private void send(Channel channel) {
            if (trips.takeOne()) {
                sentAt = System.nanoTime();
                ByteBuf message = channel.alloc().directBuffer(INLINE_BYTES);
                RpcRdmaEncoder.encodeMsg(++xid, CREDITS, chunks, message);
                ByteBuf head = call.head(channel.alloc(), xid, scenario.sizeBytes());
                message.writeBytes(head);
                head.release();
                channel.writeAndFlush(message);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf reply = (ByteBuf) message;
            if (reply.getInt(reply.readerIndex()) != xid || reply.getInt(reply.readerIndex() + 12) != 0) {
                trips.fail(new IllegalStateException("not the reply to " + xid));
            }
            reply.release();
            trips.answered(sentAt);
            send(context.channel());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (memory != null) {
                memory.release();
            }
            trips.fail(new IllegalStateException("connection closed in the middle of a round"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
            trips.fail(cause);
        }
    }
}
