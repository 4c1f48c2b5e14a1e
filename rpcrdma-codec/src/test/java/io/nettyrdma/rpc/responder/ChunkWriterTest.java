// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.channel.FailedWorkRequest;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.OpaqueMessages;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Replies whose Writes wait, with a peer whose memory takes them when the test says so. */
class ChunkWriterTest {

    private static final int RESULT_BYTES = 100;
    private static final int WINDOW = 4;

    private final byte[] result = OpaqueMessages.pattern(RESULT_BYTES, 3);
    private final List<CallOutcome> outcomes = new ArrayList<>();
    private final PeerMemory memory = new PeerMemory().holdingWrites();
    private final TestPipeline pipeline = new TestPipeline(
                    new RpcRdmaResponderHandler(TestLimits.maxPushingWrites(RpcRdmaConfig.builder(), WINDOW)
                            .bindings(OpaquesBinding.BINDINGS)
                            .listener(new RpcRdmaListener() {
                                @Override
                                public void onCallEnded(Channel channel, RpcRdmaCallReport call) {
                                    outcomes.add(call.outcome());
                                }
                            })
                            .build()),
                    memory)
            .withLargeThresholds();
    private final EmbeddedChannel channel = pipeline.channel;

    @AfterEach
    void nothingIsLeft() {
        pipeline.close();
    }

    /** A call with a write chunk in segments of so many octets, and its reply. */
    private ChannelFuture answer(int xid, int segmentBytes) {
        List<PlainSegment> segments = new ArrayList<>();
        for (int at = 0; at < RESULT_BYTES; at += segmentBytes) {
            segments.add(new PlainSegment(9, segmentBytes, at));
        }
        ChunkLists chunks = new ChunkLists(List.of(), List.of(new WriteChunk(segments)), null);
        byte[] call = OpaqueMessages.call(OpaquesBinding.OPAQUES);
        Unpooled.wrappedBuffer(call).setInt(0, xid);
        pipeline.receive(new RpcRdmaMessage.Msg(xid, 1, 9, chunks), ByteBufUtil.hexDump(call));
        assertThat(pipeline.delivered()).isNotEqualTo("none");
        ByteBuf reply = pipeline.buffer(OpaqueMessages.reply(result)).setInt(0, xid);
        return channel.writeAndFlush(reply);
    }

    @Test
    @Requirement("V1-006")
    void writesGoOutAWindowAtATimeAndTheSendBehindThem() {
        ChannelFuture first = answer(1, 10);
        ChannelFuture second = answer(2, 50);
        assertThat(memory.writesWaiting()).isEqualTo(WINDOW);

        ByteBuf written = Unpooled.buffer();
        for (int waiting : new int[] {3, 4, 3, 4, 3, 4}) { // refilled when half of the window is left
            assertThat(pipeline.sends()).isZero();
            written.writeBytes(memory.completeWrite());
            assertThat(memory.writesWaiting())
                    .as("after %d", written.writerIndex())
                    .isEqualTo(waiting);
        }
        for (int waiting : new int[] {3, 4, 3, 2}) { // with the two of the second reply
            written.writeBytes(memory.completeWrite());
            assertThat(memory.writesWaiting())
                    .as("after %d", written.writerIndex())
                    .isEqualTo(waiting);
        }
        assertThat(written).isEqualTo(Unpooled.wrappedBuffer(result));
        assertThat(pipeline.sentHeader(Direction.REPLY))
                .isInstanceOfSatisfying(
                        RpcRdmaMessage.Msg.class, it -> assertThat(it.xid()).isEqualTo(1));
        assertThat(first.isSuccess()).isTrue();
        written.clear().writeBytes(memory.completeWrite()).writeBytes(memory.completeWrite());
        assertThat(written).isEqualTo(Unpooled.wrappedBuffer(result));
        assertThat(pipeline.sentHeader(Direction.REPLY))
                .isInstanceOfSatisfying(
                        RpcRdmaMessage.Msg.class, it -> assertThat(it.xid()).isEqualTo(2));
        assertThat(second.isSuccess()).isTrue();
    }

    @Test
    void nothingIsReadWhileRepliesWait() {
        answer(1, 10);
        int reads = memory.reads();

        channel.read();
        for (int completed = 0; completed < 6; completed++) { // the last four of ten Writes are on their way then
            assertThat(memory.reads()).as("after %d Writes", completed).isEqualTo(reads);
            memory.completeWrite();
        }
        memory.completeWrite();
        memory.completeWrite(); // half of the window is free, and the Send follows

        assertThat(memory.reads()).isEqualTo(reads + 1);
        pipeline.dropSends();
        memory.completeWrite();
        memory.completeWrite();
    }

    @Test
    void repliesThatWaitFailWithTheConnection() {
        final ChannelFuture first = answer(1, 10);
        final ChannelFuture second = answer(2, 50);

        channel.close();
        while (memory.writesWaiting() > 0) {
            memory.failWrite(new IOException("flushed"));
        }

        assertThat(first.cause()).isInstanceOf(ConnectionLostException.class);
        assertThat(second.cause()).isInstanceOf(ConnectionLostException.class);
        assertThat(outcomes).containsExactly(CallOutcome.CONNECTION_LOST, CallOutcome.CONNECTION_LOST);
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    void reasonForAFailedWriteIsHeardBeforeTheChannelCloses() {
        answer(1, 10);
        memory.failWrite(FailedWorkRequest.flushed());
        assertThat(channel.isOpen()).isTrue();
        pipeline.pass(1, TimeUnit.SECONDS);
        assertThat(channel.isOpen()).isFalse();
        while (memory.writesWaiting() > 0) {
            memory.failWrite(new IOException("flushed"));
        }
    }

    @Test
    void writeThatFailsEndsTheConnection() {
        final ChannelFuture reply = answer(1, 10);

        memory.failWrite(new IOException("remote access error"));

        assertThat(channel.isOpen()).isFalse();
        assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class);
        while (memory.writesWaiting() > 0) {
            memory.failWrite(new IOException("flushed"));
        }
    }
}
