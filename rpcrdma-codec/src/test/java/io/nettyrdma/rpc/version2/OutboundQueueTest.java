// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.version2.OutboundQueue.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutboundQueueTest {

    private record Item(String name, Kind kind, int messages, CreditLedger.@Nullable Answer answer)
            implements OutboundQueue.Item {

        @Override
        public int xid() {
            return name.hashCode();
        }
    }

    private final CreditLedger ledger = new CreditLedger(4, 8);
    private final OutboundQueue<Item> queue = new OutboundQueue<>(ledger, 3, 2);

    private final Deque<CreditLedger.Answer> owed = new ArrayDeque<>();

    /** Number of the next message of the item under way. */
    private int message;

    private void offer(String name, Kind kind, int messages) {
        assertThat(queue.offer(new Item(name, kind, messages, kind == Kind.ANSWER ? owed.poll() : null)))
                .isTrue();
    }

    private void grant(int credits) {
        ledger.onGranted(0x0040_0000 | credits);
    }

    /** What can be sent, each as its name and the number of its message, with a dot behind the last one. */
    private List<String> sent() {
        List<String> sent = new ArrayList<>();
        for (Item item = queue.next(); item != null; item = queue.next()) {
            sent.add(item.name() + message + (queue.isLast() ? "." : ""));
            message = queue.isLast() ? 0 : message + 1;
        }
        return sent;
    }

    @Test
    @Requirement({"V2-014", "V2-021"})
    void oneMessageIsSentBeforeThePeerHasGrantedAnything() {
        offer("p", Kind.PROPERTIES, 3);
        offer("c", Kind.CALL, 1);

        assertThat(sent()).containsExactly("p0");
        assertThat(queue.creditWord()).isEqualTo(12 << 16 | 1);
        grant(2);
        assertThat(sent()).containsExactly("p1", "p2.");
        grant(1);
        assertThat(sent()).containsExactly("c0.");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    @Requirement({"V2-009", "V2-010"})
    void sequenceIsNotInterleavedWithAnything() {
        grant(1);
        offer("c", Kind.CALL, 3);
        assertThat(sent()).containsExactly("c0", "c1");

        owed.add(ledger.owe());
        offer("a", Kind.ANSWER, 2);
        grant(3);
        assertThat(sent()).containsExactly("c2.", "a0", "a1.");
    }

    @Test
    void answersGoBeforeCallsAndPropertiesBeforeBoth() {
        owed.add(ledger.owe());
        offer("c", Kind.CALL, 1);
        offer("a", Kind.ANSWER, 1);
        offer("p", Kind.PROPERTIES, 1);
        grant(8);

        assertThat(sent()).containsExactly("p0.", "a0.", "c0.");
    }

    @Test
    @Requirement({"V2-016", "V2-111"})
    void sequenceWaitsForCreditsInItsMidst() {
        offer("c", Kind.CALL, 5);
        grant(1);
        assertThat(sent()).containsExactly("c0", "c1");
        assertThat(queue.isEmpty()).isFalse();

        grant(2);
        assertThat(sent()).containsExactly("c2", "c3");
        grant(1);
        assertThat(sent()).containsExactly("c4.");
    }

    @Test
    void callWaitsWhereItWouldTakeTheCreditOfAnAnswer() {
        grant(1);
        offer("c", Kind.CALL, 1);
        offer("d", Kind.CALL, 1);
        owed.add(ledger.owe());
        assertThat(sent()).containsExactly("c0.");

        offer("a", Kind.ANSWER, 1);
        assertThat(sent()).containsExactly("a0.");
        grant(1);
        assertThat(sent()).containsExactly("d0.");
    }

    @Test
    void ledgerHearsOfCallsAndAnswers() {
        owed.add(ledger.owe());
        grant(8);
        offer("a", Kind.ANSWER, 2);
        offer("c", Kind.CALL, 2);

        queue.next();
        assertThat(ledger.answersOwed()).isOne();
        queue.next();
        assertThat(ledger.answersOwed()).isZero();
        queue.next();
        assertThat(ledger.ownCalls()).isOne();
        queue.next();
        assertThat(ledger.ownCalls()).isOne();
    }

    /** Also where a credit has come that what waits has not got yet. */
    @Test
    @Requirement({"V2-016", "V2-175"})
    void callNeedsACreditThatNothingElseWaitsFor() {
        LedgerCredits credits = new LedgerCredits(ledger, queue, 8);
        assertThat(credits.mayCall()).isTrue();
        ledger.send();
        assertThat(credits.mayCall()).isFalse();
        ledger.onGranted(0x0003_0001);
        assertThat(credits.mayCall()).isTrue();
        assertThat(credits.window()).as("the maximum of the peer").isEqualTo(3);

        ledger.send();
        offer("p", Kind.PROPERTIES, 1);
        assertThat(sent()).isEmpty();
        grant(1);
        assertThat(credits.mayCall()).isFalse();
        assertThat(sent()).containsExactly("p0.");
        grant(1);
        assertThat(credits.mayCall()).isTrue();
    }

    @Test
    @Requirement("V2-015")
    void refreshLeavesSomethingToGrantForProperties() {
        offer("p", Kind.PROPERTIES, 2);
        sent();
        ledger.onReceived();
        ledger.onReceived();
        assertThat(ledger.mayRefresh()).isTrue();
        assertThat(queue.mayRefresh()).isFalse();

        grant(1);
        assertThat(sent()).containsExactly("p1.");
        assertThat(queue.creditWord() & 0xffff).isEqualTo(4);

        offer("q", Kind.PROPERTIES, 1);
        ledger.onReceived();
        ledger.onReceived();
        assertThat(queue.mayRefresh()).isFalse();
        assertThat(queue.drain()).isNotNull();
        assertThat(queue.mayRefresh()).isTrue();
    }

    @Test
    void eachKindIsBounded() {
        for (int i = 0; i < 3; i++) {
            assertThat(queue.offer(new Item("c", Kind.CALL, 1, null))).isEqualTo(i < 2);
        }
        for (Kind kind : List.of(Kind.ANSWER, Kind.PROPERTIES)) {
            for (int i = 0; i < 4; i++) {
                assertThat(queue.offer(new Item("a", kind, 1, null))).isEqualTo(i < 3);
            }
        }
    }

    @Test
    void everythingIsDrainedOnce() {
        offer("c", Kind.CALL, 2);
        sent();
        offer("d", Kind.CALL, 1);
        offer("a", Kind.ANSWER, 1);
        offer("p", Kind.PROPERTIES, 1);

        List<String> drained = new ArrayList<>();
        for (Item item = queue.drain(); item != null; item = queue.drain()) {
            drained.add(item.name());
        }

        assertThat(drained).containsExactly("c", "p", "a", "d");
        assertThat(queue.isEmpty()).isTrue();
    }
}
