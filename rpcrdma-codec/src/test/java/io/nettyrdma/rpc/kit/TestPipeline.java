// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Ticker;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** An embedded channel with one handler, a frozen clock, and an allocator that knows what is still in use. */
public final class TestPipeline implements AutoCloseable {

    public final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
    public final List<Object> events = new ArrayList<>();
    public final EmbeddedChannel channel;

    public TestPipeline(ChannelHandler handler) {
        this(handler, new PeerMemory());
    }

    public TestPipeline(ChannelHandler handler, PeerMemory memory) {
        this(handler, memory, new EmbeddedChannel());
        channel.freezeTime();
    }

    /** Of several channels with one clock. */
    public static TestPipeline with(Ticker clock, ChannelHandler handler) {
        return with(clock, handler, new PeerMemory());
    }

    public static TestPipeline with(Ticker clock, ChannelHandler handler, PeerMemory memory) {
        return new TestPipeline(
                handler, memory, EmbeddedChannel.builder().ticker(clock).build());
    }

    private TestPipeline(ChannelHandler handler, PeerMemory memory, EmbeddedChannel embedded) {
        channel = embedded;
        channel.config().setAllocator(alloc);
        channel.pipeline().addLast(memory, handler, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                if (msg instanceof ByteBuf message) {
                    assertThat(message.readerIndex()).isZero();
                    assertThat(message.refCnt()).isOne();
                }
                ctx.fireChannelRead(msg);
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                events.add(event);
            }
        });
    }

    /** Lets both sides agree on 4096 octets each way. */
    public TestPipeline withLargeThresholds() {
        peerSays(new CmPrivateData(false, 4096, 4096));
        events.clear();
        return this;
    }

    public void peerSays(CmPrivateData peer) {
        channel.pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(peer.encode()));
    }

    public ByteBuf buffer(byte[] octets) {
        return alloc.directBuffer(Math.max(1, octets.length)).writeBytes(octets);
    }

    /** A received message, with octets in front of its reader index like a slice of something larger. */
    public void receive(byte[] octets) {
        channel.writeInbound(received(octets));
    }

    private ByteBuf received(byte[] octets) {
        ByteBuf message = alloc.directBuffer(octets.length + 4);
        return message.writeInt(-1).skipBytes(4).writeBytes(octets);
    }

    public void receive(String hex) {
        receive(ByteBufUtil.decodeHexDump(hex));
    }

    public void receive(RpcRdmaMessage header, String payloadHex) {
        ByteBuf message = Unpooled.buffer();
        RpcRdmaEncoder.encode(header, message);
        receive(ByteBufUtil.hexDump(message) + payloadHex);
    }

    public void receive(Rdma2Message header, String payloadHex) {
        channel.writeInbound(message(header, payloadHex));
    }

    /** As what {@link #receive(Rdma2Message, String)} receives, to be received together with others. */
    public ByteBuf message(Rdma2Message header, String payloadHex) {
        ByteBuf message = Unpooled.buffer();
        Rdma2Encoder.encode(header, message);
        return received(ByteBufUtil.decodeHexDump(ByteBufUtil.hexDump(message) + payloadHex));
    }

    /** Words of 32 bits, as hex. */
    public static String words(int... words) {
        StringBuilder hex = new StringBuilder();
        for (int word : words) {
            hex.append(String.format("%08x", word));
        }
        return hex.toString();
    }

    /** Becomes active, exchanges properties of version 2, and drops what this side sends for that. */
    public void openVersion2(int xid, int creditWord, TransportProperty... properties) {
        channel.pipeline().fireChannelActive();
        receiveProperties(xid, creditWord, properties);
        dropSends();
    }

    public void receiveProperties(int xid, int creditWord, TransportProperty... properties) {
        receive(new Rdma2Message.ConnProp(xid, creditWord, 0, List.of(properties)), "");
    }

    /** A call of version 2, in one Send. */
    public void receiveCallOfVersion2(int xid, int creditWord) {
        receive(new Rdma2Message.Msg(xid, creditWord, 0, 0, ChunkLists.ABSENT), callHex(xid));
    }

    /** A reply of version 2, in one Send. */
    public void receiveReplyOfVersion2(int xid, int creditWord) {
        receive(new Rdma2Message.Msg(xid, creditWord, Rdma2.RESPONSE, 0, ChunkLists.ABSENT), replyHex(xid));
    }

    public void receiveCall(int xid) {
        receive(new RpcRdmaMessage.Msg(xid, 1, 16, ChunkLists.ABSENT), callHex(xid));
    }

    public void receiveReply(int xid, long credits) {
        receive(new RpcRdmaMessage.Msg(xid, 1, credits, ChunkLists.ABSENT), replyHex(xid));
    }

    public static String callHex(int xid) {
        ByteBuf call = RpcHeaders.call(Unpooled.buffer().alloc(), xid, 100003, 3, 0);
        String hex = ByteBufUtil.hexDump(call);
        call.release();
        return hex;
    }

    public static String replyHex(int xid) {
        return String.format("%08x", xid) + "00000001" + "00".repeat(16);
    }

    public ByteBuf call(int xid) {
        return RpcHeaders.call(alloc, xid, 100003, 3, 0);
    }

    public ByteBuf reply(int xid) {
        return RpcHeaders.accepted(alloc, xid, RpcHeaders.SUCCESS);
    }

    /** An RPC message of a given length. */
    public ByteBuf message(int xid, int type, int bytes) {
        return alloc.directBuffer(bytes).writeInt(xid).writeInt(type).writeZero(bytes - 8);
    }

    /** The next Send, as hex; {@code null} if there is none. */
    public String sent() {
        ByteBuf message = channel.readOutbound();
        return message == null ? "none" : hexAndRelease(message);
    }

    /** The header of the next Send. */
    public Decoded sentHeader(Direction direction) {
        ByteBuf message = Objects.requireNonNull(channel.readOutbound(), "nothing was sent");
        try {
            return new RpcRdmaDecoder(DecodeLimits.NONE).decode(message, direction);
        } finally {
            message.release();
        }
    }

    public int sends() {
        return channel.outboundMessages().size();
    }

    public void dropSends() {
        for (ByteBuf message = channel.readOutbound(); message != null; message = channel.readOutbound()) {
            message.release();
        }
    }

    /** The next RPC message handed up, as hex. */
    public String delivered() {
        ByteBuf message = channel.readInbound();
        if (message == null) {
            return "none";
        }
        return hexAndRelease(message);
    }

    private static String hexAndRelease(ByteBuf message) {
        String hex = ByteBufUtil.hexDump(message);
        message.release();
        return hex;
    }

    /** Why calls have failed, in this order. */
    public List<Throwable> failures() {
        return events.stream()
                .filter(RpcCallFailedEvent.class::isInstance)
                .map(event -> ((RpcCallFailedEvent) event).cause())
                .toList();
    }

    public void pass(long time, TimeUnit unit) {
        channel.advanceTimeBy(time, unit);
        channel.runPendingTasks();
    }

    /** Ends the channel and accounts for every buffer. */
    @Override
    public void close() {
        channel.finishAndReleaseAll();
        channel.checkException();
        assertThat(alloc.metric().usedDirectMemory() + alloc.metric().usedHeapMemory())
                .as("octets not released")
                .isZero();
    }
}
