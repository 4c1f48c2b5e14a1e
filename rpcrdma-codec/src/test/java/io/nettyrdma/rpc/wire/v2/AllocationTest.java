/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.Direction;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** What a message without chunks costs in garbage: what one of version 1 does. */
class AllocationTest {

    private static final int MESSAGES = 100_000;
    /** For what the measurement itself allocates. */
    private static final int SLACK_BYTES = 64 * 1024;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final ByteBuf buffer = new UnpooledByteBufAllocator(true, true).directBuffer(256);

    @Test
    void encodingAllocatesNothing() {
        long bytes =
                allocatedBy(() -> Rdma2Encoder.encodeMsg(7, Words.CREDITS, 0, 0, ChunkLists.ABSENT, buffer.clear()));

        assertThat(bytes).isLessThan(SLACK_BYTES);
    }

    @Test
    void decodingAllocatesOneSmallObject() {
        Rdma2Encoder.encodeMsg(7, Words.CREDITS, Rdma2.RESPONSE, 0, ChunkLists.ABSENT, buffer);
        buffer.writeInt(7).writeInt(1).writeZero(16);

        assertThat(allocatedByDecoding(Rdma2Message.Msg.class)).isLessThan(48L * MESSAGES + SLACK_BYTES);
    }

    @Test
    void decodingARefreshAllocatesOneSmallObject() {
        Rdma2Encoder.encode(new Rdma2Message.CreditGrant(Words.CREDITS), buffer);

        assertThat(allocatedByDecoding(Rdma2Message.CreditGrant.class)).isLessThan(48L * MESSAGES + SLACK_BYTES);
    }

    private long allocatedByDecoding(Class<?> type) {
        Rdma2Decoder decoder = new Rdma2Decoder(Rdma2Limits.NONE, Direction.REPLY);
        Rdma2Decoded[] last = new Rdma2Decoded[1];
        long bytes = allocatedBy(() -> last[0] = decoder.decode(buffer, Rdma2Sequence.NONE));
        assertThat(last[0]).isInstanceOf(type);
        return bytes;
    }

    private long allocatedBy(Runnable codec) {
        for (int i = 0; i < 1000; i++) {
            codec.run(); // classes are loaded, lambdas linked
        }
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < MESSAGES; i++) {
            codec.run();
        }
        return threads.getThreadAllocatedBytes(thread) - before;
    }
}
