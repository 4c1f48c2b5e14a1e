// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.conformance.Requirement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one ledger does; {@link CreditLedgerModelTest} has two of them. */
class CreditLedgerTest {

    private static final int BASE = 4;
    private static final int OWN_CALLS = 8;

    private final CreditLedger ledger = new CreditLedger(BASE, OWN_CALLS);
    /** Of the last call. */
    private int xid;

    private final Deque<CreditLedger.Answer> owed = new ArrayDeque<>();

    private static int granted(int creditWord) {
        return creditWord & 0xffff;
    }

    private void receiveCall(int creditWord) {
        ledger.onGranted(creditWord);
        ledger.onReceived();
        owed.add(ledger.owe());
    }

    @Test
    @Requirement("V2-014")
    void grantsOfThePeerAddUp() {
        ledger.onGranted(0x0020_0010);
        assertThat(ledger.balance()).isEqualTo(17);
        ledger.onGranted(0x0020_000f);
        assertThat(ledger.balance()).isEqualTo(32);
        ledger.onGranted(0x0020_0001);
        assertThat(ledger.balance()).isEqualTo(32);
        assertThat(ledger.mostCalls()).isEqualTo(OWN_CALLS);
    }

    @Test
    @Requirement("V2-013")
    void whatIsGrantedAndWhatIsReceivedAreTwoAccounts() {
        ledger.onGranted(0x0020_0004);
        assertThat(granted(ledger.send())).isEqualTo(BASE - 1);
        assertThat(ledger.balance()).isEqualTo(4);
        assertThat(ledger.outstanding()).isEqualTo(BASE);
    }

    @Test
    @Requirement("V2-174")
    void baseThatIsLoweredTakesNothingBack() {
        ledger.send();
        ledger.onGranted(0x0020_0008);
        ledger.changeBase(1);
        assertThat(ledger.outstanding()).isEqualTo(BASE);
        for (int left = BASE - 1; left >= 1; left--) {
            assertThat(ledger.isLowering()).isTrue();
            assertThat(ledger.maximum()).isEqualTo(left + 1 + OWN_CALLS);
            receiveCall(0);
            assertThat(granted(ledger.sendAnswer(owed.remove()))).isZero();
            assertThat(ledger.outstanding()).isEqualTo(left);
        }
        assertThat(ledger.isLowering()).isFalse();
        receiveCall(0);
        assertThat(granted(ledger.sendAnswer(owed.remove()))).isOne();
    }

    @Test
    @Requirement("V2-174")
    void callGrantsNoMoreThanItsReplyWhileTheBaseIsLowered() {
        ledger.send();
        ledger.onGranted(0x0020_0008);
        ledger.changeBase(1);
        ledger.onReceived(); // fragments
        ledger.onReceived();
        assertThat(granted(ledger.sendCall(++xid))).isOne();
        assertThat(ledger.outstanding()).isEqualTo(BASE - 1);
    }

    @Test
    void answerIsOwedUntilItIsSentOrDropped() {
        ledger.onGranted(0x0020_0008);
        CreditLedger.Answer sent = ledger.owe();
        CreditLedger.Answer dropped = ledger.owe();
        assertThat(ledger.answersOwed()).isEqualTo(2);
        ledger.sendAnswer(sent);
        dropped.drop();
        assertThat(ledger.answersOwed()).isZero();
        assertThatThrownBy(sent::drop).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> ledger.sendAnswer(dropped)).isInstanceOf(AssertionError.class);
    }

    @Test
    @Requirement({"V2-017", "V2-112"})
    void refreshTakesNoCreditAndGrantsWhatIsMissing() {
        ledger.send();
        for (int i = 0; i < BASE / 2; i++) {
            assertThat(ledger.mayRefresh()).isFalse();
            ledger.onReceived();
        }
        assertThat(ledger.balance()).isZero();
        assertThat(ledger.mayRefresh()).isTrue();
        assertThat(granted(ledger.refresh())).isEqualTo(BASE / 2);
        assertThat(ledger.balance()).isZero();
    }

    /** The refresh has given back the credits of the fragments, so only that of the last message is left (C44). */
    @Test
    void refreshAndTwoErrorsGiveBackNoMoreThanFragmentsHaveUsed() {
        ledger.onGranted(0x0020_0008);
        ledger.send();
        for (int i = 0; i < BASE / 2; i++) {
            ledger.onReceived(); // fragments
            ledger.onCallArriving();
        }
        assertThat(ledger.mayRefresh()).isTrue();
        assertThat(granted(ledger.refresh())).isEqualTo(BASE / 2);

        ledger.onReceived(); // breaks the sequence
        owed.add(ledger.owe());
        owed.add(ledger.owe());

        assertThat(granted(ledger.sendAnswer(owed.remove()))).isZero();
        assertThat(granted(ledger.sendAnswer(owed.remove()))).isOne();
        assertThat(ledger.outstanding()).isEqualTo(BASE);
    }

    @Test
    @Requirement("V2-018")
    void nextRefreshWaitsUntilTheLastMustHaveArrived() {
        ledger.send();
        ledger.onReceived();
        ledger.onReceived();
        ledger.refresh();
        ledger.onReceived();
        ledger.onReceived();
        assertThat(ledger.isRefreshDue()).isTrue();
        assertThat(ledger.mayRefresh()).isFalse(); // those four credits were there before
        ledger.onReceived();
        assertThat(ledger.mayRefresh()).isTrue();
    }

    @Test
    void refreshIsDueWhenOnlyCreditsForRepliesAreLeft() {
        ledger.onGranted(0x0020_0008);
        for (int i = 0; i < OWN_CALLS; i++) {
            ledger.sendCall(++xid);
        }
        for (int i = 0; i < BASE - 1; i++) {
            ledger.onReceived(); // fragments
        }
        assertThat(ledger.mayRefresh()).isFalse();
        ledger.onReceived();
        assertThat(ledger.outstanding()).isEqualTo(OWN_CALLS);
        assertThat(ledger.mayRefresh()).isTrue();
    }

    @Test
    @Requirement("V2-175")
    void unansweredCallsAreAtMostThePeersMaximum() {
        ledger.onGranted(0x0003_0003);
        for (int i = 0; i < 3; i++) {
            assertThat(ledger.mayCall()).isTrue();
            ledger.sendCall(++xid);
            ledger.onGranted(0x0003_0003); // for the fragments of them all
        }
        assertThat(ledger.balance()).isPositive();
        assertThat(ledger.mayCall()).isFalse();
        ledger.onAnswered(xid--);
        assertThat(ledger.mayCall()).isTrue();
    }

    @Test
    void callLeavesTheCreditsOfAnswersAlone() {
        ledger.onGranted(0x0020_0001); // 2
        ledger.sendCall(++xid);
        receiveCall(0);
        assertThat(ledger.mayCall()).isFalse();
        ledger.onGranted(0x0020_0001);
        assertThat(ledger.mayCall()).isTrue();
        ledger.onCallArriving();
        assertThat(ledger.mayCall()).isFalse();
        ledger.onCallDropped();
        assertThat(ledger.mayCall()).isTrue();
        receiveCall(0);
        assertThat(ledger.mayCall()).isFalse();
    }

    @Test
    void onlyCallMayHaveTheLastCredit() {
        receiveCall(0);
        assertThat(ledger.mayCall()).isTrue();
        ledger.onGranted(0x0020_0001);
        ledger.sendCall(++xid);
        assertThat(ledger.mayCall()).isFalse();
    }

    @Test
    void hostileWordsMoveNothingOutOfItsRange() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        CreditLedger hit = new CreditLedger(0xffff - OWN_CALLS, OWN_CALLS);
        for (int i = 0; i < 200_000; i++) {
            hit.onGranted(random.nextBoolean() ? -1 : random.nextInt());
            for (int message = random.nextInt(4); message > 0; message--) {
                hit.onReceived();
            }
            switch (random.nextInt(5)) {
                case 0 -> owed.add(hit.owe());
                case 1 -> {
                    if (!owed.isEmpty() && hit.maySend()) {
                        hit.sendAnswer(owed.remove());
                    }
                }
                case 2 -> {
                    if (hit.mayCall()) {
                        hit.sendCall(++xid);
                    }
                }
                case 3 -> hit.changeBase(1 + random.nextInt(0xffff - OWN_CALLS));
                default -> {
                    if (hit.mayRefresh()) {
                        assertThat(granted(hit.refresh())).as("seed %d", seed).isPositive();
                    }
                }
            }
            if (hit.balance() < 0
                    || hit.balance() > 0xffff
                    || hit.outstanding() < 0
                    || hit.outstanding() > hit.maximum()
                    || hit.maximum() > 0xffff) {
                throw new AssertionError("seed " + seed + ": " + hit.balance() + ", " + hit.outstanding());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 0", "65535, 1", "1, 65535", "-1, -1"})
    void bothShareSixteenBits(int base, int maxOwnCalls) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CreditLedger(base, maxOwnCalls))
                .withMessageContaining("(expected: 1 to ");
    }
}
