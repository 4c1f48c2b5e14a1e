// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be posted, and that each request completes once, in order, whatever becomes of the stream. */
final class WorkQueuesTest {

    private static final int OK = VerbsConstants.WC_SUCCESS;
    private static final int FLUSHED = VerbsConstants.WC_WR_FLUSH_ERR;

    private static List<Long> ids(Core core) {
        return core.completions.stream().map(Core.Completion::id).toList();
    }

    private static List<Integer> statuses(Core core) {
        return core.completions.stream().map(Core.Completion::status).toList();
    }

    @Test
    void onlyReceivesCanBePostedBeforeTheStreamRuns() throws Exception {
        try (Core core = new Core(true, false, 64, Ddp.FIRST_MSN)) {
            Region region = core.register(100, Core.ALL);
            core.receive(1, region, 0, 100);
            assertThatThrownBy(() -> core.send(1, 0, region, 0, 10))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not connected");
            core.queues.start(4, 4);
            core.send(1, 0, region, 0, 10);
        }
    }

    @Test
    void fullQueuesRefusePosts() throws Exception {
        try (Side a = new Side()) {
            for (int i = 0; i < Core.DEPTH; i++) {
                a.receive(i, a.region, 0, 1);
                a.send(i, 0, a.region, 0, 1);
            }
            assertThatThrownBy(() -> a.receive(-1, a.region, 0, 1))
                    .hasMessage("receive queue is full: 256 work requests");
            assertThatThrownBy(() -> a.send(-1, 0, a.region, 0, 1)).hasMessage("send queue is full: 256 work requests");
            a.transmit();
            a.send(256, 0, a.region, 0, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5, 6, 77})
    void opcodesThatIwarpDoesNotHaveAreRefused(int opcode) throws Exception {
        try (Side a = new Side()) {
            assertThatThrownBy(() -> a.post(1, opcode, 0, 0, 0, a.region, 0, 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("opcode " + opcode);
        }
    }

    @Test
    void nothingIsDoneBeforeTcpHasAcceptedItsLastOctet() throws Exception {
        try (Side a = new Side()) {
            a.send(1, Core.SIGNALED, a.region, 0, 100);
            a.transmitter.fill(ByteBuffer.allocateDirect(1000));
            long octets = a.transmitter.stagedOctets();
            a.queues.retire(octets - 1);
            assertThat(a.completions).isEmpty();
            a.queues.retire(octets);
            assertThat(ids(a)).containsExactly(1L);
        }
    }

    @Test
    void sendsWaitForTheReadsInFrontOfThem() throws Exception {
        try (Side a = new Side();
                Side b = new Side()) {
            b.receive(9, b.region, 0, 100);
            a.read(1, Core.SIGNALED, a.region, 0, 1000, b.region.key(), b.region.address());
            a.send(2, Core.SIGNALED, a.region, 0, 100);
            a.read(3, Core.SIGNALED, a.region, 0, 10, b.region.key(), b.region.address());
            a.transmit();
            b.receiveFrom(a);
            assertThat(ids(b)).containsExactly(9L);
            assertThat(a.completions).isEmpty();
            b.transmit();
            a.receiveFrom(b);
            assertThat(ids(a)).containsExactly(1L, 2L, 3L);
            assertThat(statuses(a)).containsOnly(OK);
        }
    }

    @Test
    void emptyReadIsDoneWithoutAskingThePeer() throws Exception {
        try (Side a = new Side(true, 64, 0, Ddp.FIRST_MSN)) {
            a.read(1, Core.SIGNALED, a.region, 0, 0, 0xdead, 0);
            a.transmit();
            assertThat(a.wire.hasRemaining()).isFalse();
            assertThat(statuses(a)).containsExactly(OK);
        }
    }

    @Test
    void readWhereNoneWasAgreedFails() throws Exception {
        try (Side a = new Side(true, 64, 0, Ddp.FIRST_MSN)) {
            a.read(1, 0, a.region, 0, 10, 0xdead, 0);
            StreamFault fault = catchThrowableOfType(StreamFault.class, a::transmit);
            assertThat(fault.error()).isEqualTo(TerminateError.RDMAP_LOCAL_CATASTROPHIC);
            a.queues.flush();
            assertThat(statuses(a)).containsExactly(VerbsConstants.WC_LOC_QP_OP_ERR);
        }
    }

    @Test
    void fenceHoldsARequestBackUntilTheReadsAreDone() throws Exception {
        try (Side a = new Side();
                Side b = new Side()) {
            b.receive(9, b.region, 0, 100);
            a.read(1, 0, a.region, 0, 10, b.region.key(), b.region.address());
            a.send(2, Core.SIGNALED | VerbsConstants.SEND_FENCE, a.region, 0, 10);
            a.transmit();
            assertThat(a.queues.sends().next()).isEqualTo(1);
            assertThat(a.transmitter.hasWork()).isFalse();
            b.receiveFrom(a);
            b.transmit();
            a.receiveFrom(b);
            a.transmit();
            b.receiveFrom(a);
            assertThat(ids(a)).containsExactly(2L);
            assertThat(ids(b)).containsExactly(9L);
        }
    }

    @Test
    @Requirement({"V1-020", "V2-178"})
    void moreReadsThanAgreedWaitForTheirTurn() throws Exception {
        try (Side a = new Side(true, 64, 2, Ddp.FIRST_MSN);
                Side b = new Side(true, 64, 2, Ddp.FIRST_MSN)) {
            for (int i = 0; i < 5; i++) {
                a.read(i, Core.SIGNALED, a.region, 0, 10, b.region.key(), b.region.address());
            }
            for (int done = 0; done < 5; done = a.completions.size()) {
                a.transmit();
                assertThat(a.queues.sends().next()).isLessThanOrEqualTo(done + 2);
                b.receiveFrom(a);
                b.transmit();
                a.receiveFrom(b);
            }
            assertThat(ids(a)).containsExactly(0L, 1L, 2L, 3L, 4L);
            assertThat(a.queues.broughtOctets()).isEqualTo(50);
        }
    }

    @Test
    void unsignalledRequestsCompleteOnlyIfTheyFail() throws Exception {
        try (Side a = new Side()) {
            a.send(1, 0, a.region, 0, 10);
            a.transmit();
            a.send(2, 0, a.region, 0, 10);
            assertThat(a.completions).isEmpty();
            a.queues.flush(a.transmitter.stagedOctets());
            assertThat(ids(a)).containsExactly(2L);
            assertThat(statuses(a)).containsExactly(FLUSHED);
        }
    }

    @Test
    void endOfTheStreamCompletesEverythingOnce() throws Exception {
        try (Side a = new Side();
                Side b = new Side()) {
            a.send(1, Core.SIGNALED, a.region, 0, 10);
            a.read(2, Core.SIGNALED, a.region, 0, 10, b.region.key(), b.region.address());
            a.send(3, Core.SIGNALED, a.region, 0, 10);
            a.receive(4, a.region, 0, 10);
            a.transmitter.fill(ByteBuffer.allocateDirect(1000));
            a.send(5, Core.SIGNALED, a.region, 0, 10);
            // TCP had accepted all of it. The Read was not answered, and what is behind it shares its fate.
            a.queues.flush(a.transmitter.stagedOctets());
            assertThat(ids(a)).containsExactly(1L, 2L, 3L, 5L, 4L);
            assertThat(statuses(a)).containsExactly(OK, FLUSHED, FLUSHED, FLUSHED, FLUSHED);
            a.queues.flush();
            assertThat(a.completions).hasSize(5);
        }
    }

    @Test
    void whatIsPostedInErrorIsFlushedAtOnce() throws Exception {
        try (Side a = new Side()) {
            a.queues.flush();
            a.receive(1, a.region, 0, 10);
            a.send(2, 0, a.region, 0, 10);
            assertThat(ids(a)).containsExactly(1L, 2L);
            assertThat(statuses(a)).containsOnly(FLUSHED);
            assertThat(a.transmitter.hasWork()).isFalse();
            a.queues.close();
            assertThatThrownBy(() -> a.receive(3, a.region, 0, 10)).hasMessage("queue pair is destroyed");
            assertThatThrownBy(() -> a.send(3, 0, a.region, 0, 10)).hasMessage("queue pair is destroyed");
        }
    }

    @Test
    void firstFaultOfTheSendQueueCounts() throws Exception {
        try (Side a = new Side()) {
            for (int i = 0; i < 4; i++) {
                a.send(i, 0, a.region, 0, 10);
            }
            a.queues.failSend(1, VerbsConstants.WC_LOC_PROT_ERR);
            a.queues.failSend(2, VerbsConstants.WC_REM_ACCESS_ERR);
            a.transmitter.fill(ByteBuffer.allocateDirect(1000));
            // Though handed to the stream and accepted: it has failed.
            a.queues.flush(a.transmitter.stagedOctets());
            assertThat(ids(a)).containsExactly(1L, 2L, 3L);
            assertThat(statuses(a)).containsExactly(VerbsConstants.WC_LOC_PROT_ERR, FLUSHED, FLUSHED);
        }
    }

    @Test
    void overrunIsToldAndNothingIsLost() throws Exception {
        try (Side a = new Side()) {
            a.room = 1;
            for (int i = 0; i < 3; i++) {
                a.send(i, Core.SIGNALED, a.region, 0, 10);
            }
            assertThat(a.queues.isOverrun()).isFalse();
            a.transmit();
            assertThat(a.queues.isOverrun()).isTrue();
            assertThat(ids(a)).containsExactly(0L, 1L, 2L);
        }
    }

    @Test
    void queuesGrowWithoutMixingTheirRequests() throws Exception {
        try (Side a = new Side();
                Side b = new Side()) {
            for (int i = 0; i < 1 << 16; i++) {
                a.memory.put(i, (byte) (i >> 6));
            }
            // Not from the first slot on.
            int next = 0;
            for (int burst : new int[] {3, 7, 20, 90, 200}) {
                for (int i = 0; i < burst; i++) {
                    a.send(next + i, Core.SIGNALED, a.region, (next + i) * 64, 64);
                    b.receive(next + i, b.region, (next + i) * 64, 64);
                }
                a.transmit();
                b.receiveFrom(a);
                next += burst;
            }
            assertThat(ids(a)).isEqualTo(ids(b)).isSorted().hasSize(next);
            assertThat(b.memory.slice(0, next * 64)).isEqualTo(a.memory.slice(0, next * 64));
        }
    }
}
