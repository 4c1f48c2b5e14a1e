// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.CountingMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Any octets as the Sends that a requester receives while four calls are pending: XID 1 inline, 2 with a write chunk, 3
 * with a reply chunk, 4 with a read chunk. Memory gets the handles 1, 2 and so on, and offset 0. An input is a sequence
 * of messages, each behind an octet that says how many words it has.
 */
class RequesterFuzzTest {

    private static final int CALLS = 4;
    private static final int CHUNK_BYTES = 2000;
    private static final RpcRdmaConfig CONFIG =
            RpcRdmaConfig.builder().bindings(TestProgram.BINDINGS).build();

    @Requirement({"V1-107", "V1-085"})
    @FuzzTest
    void everyCallEndsOnceAndNothingIsKept(byte[] input) {
        CountingMemory memory = new CountingMemory(new Memory());
        BitSet ended = new BitSet();
        try (TestPipeline pipeline = new TestPipeline(TestLimits.requester(CONFIG, ctx -> memory))) {
            submit(pipeline, 1, List.of(), List.of(), 0);
            submit(pipeline, 2, List.of(), List.of(CHUNK_BYTES), 0);
            submit(pipeline, 3, List.of(), List.of(), CHUNK_BYTES);
            submit(pipeline, 4, List.of(CHUNK_BYTES), List.of(), 0);
            int at = 0;
            while (at < input.length) {
                int end = Math.min(input.length, at + 1 + 4 * (input[at] & 0x7f));
                pipeline.receive(Arrays.copyOfRange(input, at + 1, end));
                at = end;
                collect(pipeline, ended);
            }
            pipeline.channel.close();
            collect(pipeline, ended);
        }
        assertThat(ended.cardinality()).isEqualTo(CALLS);
        memory.checkGivenBack();
    }

    private static void submit(
            TestPipeline pipeline, int xid, List<Integer> arguments, List<Integer> results, int trailer) {
        ByteBuf call = TestProgram.call(xid, arguments, results, trailer);
        pipeline.channel.writeAndFlush(pipeline.alloc.directBuffer().writeBytes(call));
        call.release();
    }

    private static void collect(TestPipeline pipeline, BitSet ended) {
        for (ByteBuf reply = pipeline.channel.readInbound(); reply != null; reply = pipeline.channel.readInbound()) {
            end(ended, RpcHeaders.xid(reply));
            reply.release();
        }
        for (Object event : pipeline.events) {
            if (event instanceof RpcCallFailedEvent failed) {
                assertThat(failed.cause()).isInstanceOf(IOException.class);
                end(ended, failed.xid());
            }
        }
        pipeline.events.clear();
        for (Object sent = pipeline.channel.readOutbound(); sent != null; sent = pipeline.channel.readOutbound()) {
            ReferenceCountUtil.release(sent);
        }
    }

    private static void end(BitSet ended, int xid) {
        assertThat(xid).isBetween(1, CALLS);
        assertThat(ended.get(xid)).as("call %d has ended before", xid).isFalse();
        ended.set(xid);
    }

    /** Keys that an input can know. */
    private static final class Memory implements CallMemory {
        private int lastHandle;

        @Override
        public boolean canBeInvalidatedByPeer() {
            return true;
        }

        @Override
        public Region expose(ByteBuf buffer, RdmaAccess access) {
            PlainSegment segment = new PlainSegment(++lastHandle, buffer.readableBytes(), 0);
            return new Region() {
                @Override
                public PlainSegment segment() {
                    return segment;
                }

                @Override
                public void invalidate() {}

                @Override
                public void release() {
                    buffer.release();
                }
            };
        }
    }
}
