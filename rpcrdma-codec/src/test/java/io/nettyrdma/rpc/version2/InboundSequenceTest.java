// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static io.nettyrdma.rpc.version2.InboundSequence.Decision.BROKEN;
import static io.nettyrdma.rpc.version2.InboundSequence.Decision.DROP;
import static io.nettyrdma.rpc.version2.InboundSequence.Decision.FIRST;
import static io.nettyrdma.rpc.version2.InboundSequence.Decision.LAST;
import static io.nettyrdma.rpc.version2.InboundSequence.Decision.NEXT;
import static io.nettyrdma.rpc.version2.InboundSequence.Decision.TOO_LONG;
import static io.nettyrdma.rpc.version2.InboundSequence.Decision.WHOLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.version2.InboundSequence.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class InboundSequenceTest {

    private static final int MSG = 0;
    private static final int NOMSG = 1;
    private static final int MAX_BYTES = 100;

    private final InboundSequence sequence = new InboundSequence();

    private Decision call(int xid, boolean more) {
        return sequence.receive(xid, MSG, false, more, 10, MAX_BYTES);
    }

    private Decision reply(int xid, boolean more) {
        return sequence.receive(xid, MSG, true, more, 10, MAX_BYTES);
    }

    @Test
    @Requirement("V2-103")
    void sequenceEndsWhereMoreIsClear() {
        assertThat(call(1, true)).isEqualTo(FIRST);
        assertThat(sequence.isJoining()).isTrue();
        assertThat(call(1, true)).isEqualTo(NEXT);
        assertThat(call(1, false)).isEqualTo(LAST);
        assertThat(sequence.isJoining()).isFalse();
        assertThat(sequence.lengthBytes()).isEqualTo(30);
        assertThat(call(1, false)).isEqualTo(WHOLE);
    }

    @Test
    @Requirement({"V2-104", "V2-105"})
    void otherXidBreaksTheSequenceAndBothAreLost() {
        call(1, true);

        assertThat(call(2, false)).isEqualTo(BROKEN);
        assertThat(sequence.lostXid()).isOne();
        assertThat(sequence.isLostAReply()).isFalse();
        assertThat(call(1, true)).isEqualTo(DROP);
        assertThat(call(1, false)).isEqualTo(DROP);
        assertThat(call(1, false)).isEqualTo(WHOLE);
    }

    @Test
    @Requirement("V2-104")
    void otherDirectionBreaksTheSequence() {
        reply(1, true);

        assertThat(call(1, true)).isEqualTo(BROKEN);
        assertThat(sequence.isLostAReply()).isTrue();
        assertThat(reply(1, false)).isEqualTo(DROP);
        assertThat(call(1, false)).isEqualTo(DROP);
        assertThat(reply(1, false)).isEqualTo(WHOLE);
    }

    @Test
    void nothingMayBeContinuedWhereTheLimitIsZero() {
        assertThat(sequence.receive(1, MSG, false, true, 4, 0)).isEqualTo(TOO_LONG);
        assertThat(sequence.receive(1, MSG, false, false, 4, 0)).isEqualTo(DROP);
        assertThat(sequence.receive(1, MSG, false, false, 4000, 0)).isEqualTo(WHOLE);
    }

    @Test
    @Requirement("V2-141")
    void whatIsGivenUpIsDroppedToItsEnd() {
        call(1, true);
        sequence.giveUp();

        assertThat(sequence.isJoining()).isFalse();
        assertThat(call(1, true)).isEqualTo(DROP);
        assertThat(call(1, false)).isEqualTo(DROP);
        sequence.giveUp(); // there is nothing
        assertThat(call(1, false)).isEqualTo(WHOLE);
    }

    @Test
    @Requirement("V2-141")
    void rejectedFragmentEndsItsSequence() {
        call(1, true);

        assertThat(sequence.reject(1, false, true)).isEqualTo(LAST);
        assertThat(sequence.isJoining()).isFalse();
        assertThat(sequence.reject(1, false, true)).isEqualTo(DROP);
        assertThat(call(1, true)).isEqualTo(DROP);
        assertThat(sequence.reject(1, false, false)).isEqualTo(DROP);
        assertThat(call(1, true)).isEqualTo(FIRST);
    }

    @Test
    @Requirement("V2-104")
    void rejectedMessageBreaksASequenceItDoesNotBelongTo() {
        call(1, true);

        assertThat(sequence.reject(2, false, false)).isEqualTo(BROKEN);
        assertThat(sequence.lostXid()).isOne();
        assertThat(call(1, false)).isEqualTo(DROP);
    }

    @Test
    @Requirement("V2-141")
    void fragmentsBehindARejectedFirstOneAreDropped() {
        assertThat(sequence.reject(1, false, true)).isEqualTo(WHOLE);
        assertThat(call(1, false)).isEqualTo(DROP);

        assertThat(sequence.reject(1, false, false)).isEqualTo(WHOLE);
        assertThat(call(1, false)).isEqualTo(WHOLE);
    }

    private record Message(int xid, int type, boolean response, boolean more, int bytes) {
        boolean continues(Message earlier) {
            return isOf(earlier) && type == earlier.type;
        }

        boolean isOf(Message other) {
            return xid == other.xid && response == other.response;
        }
    }

    /** Keeps all fragments, and all it has lost, in lists. */
    private static final class NaiveJoiner {
        private final List<Message> fragments = new ArrayList<>();
        private final List<Message> lost = new ArrayList<>();

        Decision receive(Message message) {
            if (!fragments.isEmpty()) {
                Message first = fragments.get(0);
                boolean continues = message.continues(first);
                fragments.add(message);
                if (continues && bytes() <= MAX_BYTES) {
                    return message.more ? NEXT : end(LAST);
                }
                if (message.more || !message.isOf(first)) {
                    lost.add(first);
                }
                if (message.more) {
                    lost.add(message);
                }
                return end(continues ? TOO_LONG : BROKEN);
            }
            if (lost.stream().anyMatch(message::isOf)) {
                if (!message.more) {
                    lost.removeIf(message::isOf);
                }
                return DROP;
            }
            lost.clear();
            if (!message.more) {
                return WHOLE;
            }
            fragments.add(message);
            if (bytes() > MAX_BYTES) {
                lost.add(message);
                return end(TOO_LONG);
            }
            return FIRST;
        }

        private Decision end(Decision decision) {
            fragments.clear();
            return decision;
        }

        private int bytes() {
            return fragments.stream().mapToInt(Message::bytes).sum();
        }
    }

    @Test
    @Requirement({"V2-103", "V2-104", "V2-105", "V2-110", "V2-141"})
    void decidesAsANaiveJoinerDoes() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        NaiveJoiner naive = new NaiveJoiner();
        Message last = new Message(0, 0, false, false, 0);
        int[] seen = new int[Decision.values().length];
        for (int i = 0; i < 100_000; i++) {
            boolean same = random.nextInt(4) > 0;
            Message message = new Message(
                    same ? last.xid : random.nextInt(3),
                    same ? last.type : random.nextInt(2),
                    same ? last.response : random.nextBoolean(),
                    random.nextInt(3) > 0,
                    random.nextInt(random.nextInt(8) == 0 ? 120 : 20));
            last = message;
            Decision decision = sequence.receive(
                    message.xid, message.type, message.response, message.more, message.bytes, MAX_BYTES);
            assertThat(decision).as("seed %d, message %d", seed, i).isEqualTo(naive.receive(message));
            seen[decision.ordinal()]++;
        }
        assertThat(seen).as("seed %d", seed).doesNotContain(0);
    }
}
