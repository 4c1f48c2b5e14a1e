// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.nettyrdma.conformance.Requirement;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two ledgers, of which neither knows the other but by what arrives. */
class CreditLedgerModelTest {

    private static final int SEEDS = 1500;
    private static final int SEEDS_OF_A_MUTANT = 5000;

    @ParameterizedTest(name = "nested calls: {0}")
    @ValueSource(booleans = {false, true})
    @Requirement({"V2-012", "V2-015", "V2-018", "V2-112", "V2-174"})
    void everythingEndsWithinWhatWasPromised(boolean nested) {
        long first = System.nanoTime();
        long messages = 0;
        long refreshes = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            CreditModel model = new CreditModel(seed, nested, CreditLedger::new);
            try {
                model.run();
            } catch (CreditModel.Violation | AssertionError e) {
                fail("seed " + seed, e);
            }
            messages += model.messages;
            refreshes += model.refreshes;
        }
        assertThat(messages).as("seed %d", first).isGreaterThan(100L * SEEDS);
        assertThat(refreshes).as("seed %d", first).isGreaterThan(SEEDS);
    }

    @Test
    @Requirement("V2-018")
    void oneRefreshPerMessageReceivedIsTooMany() {
        requireViolation((base, maxOwnCalls) -> new CreditLedger(base, maxOwnCalls) {
            private boolean received = true;

            @Override
            public void onReceived() {
                super.onReceived();
                received = true;
            }

            @Override
            public boolean mayRefresh() {
                return isRefreshDue() && received;
            }

            @Override
            public int refresh() {
                int word = super.refresh();
                received = false;
                return word;
            }
        });
    }

    /** Messages behind the last one that was answered may have used up all that was granted. */
    @Test
    @Requirement("V2-112")
    void refreshOnlyIfNothingWasSentAmongWhatHasComeIsTooFew() {
        requireViolation(seed -> new CreditModel(seed, false, CreditLedger::new).forgetful());
    }

    @Test
    @Requirement("V2-174")
    void cappingAtTheLatestMaximumLosesWhatWasGrantedBeforeItWasLowered() {
        requireViolation((base, maxOwnCalls) -> new LoweringAtOnce(base, maxOwnCalls) {
            @Override
            int cap(int latestMaximum) {
                return latestMaximum;
            }
        });
    }

    @Test
    void eitherOfBothRulesAboutLoweringIsEnoughForPeersThatLackTheOther() {
        CreditModel.Ledgers latest = (base, maxOwnCalls) -> new CreditLedger(base, maxOwnCalls) {
            @Override
            int cap(int latestMaximum) {
                return latestMaximum;
            }
        };
        for (long seed = 0; seed < 500; seed++) {
            new CreditModel(seed, false, latest).run();
            new CreditModel(seed, false, LoweringAtOnce::new).run();
        }
    }

    @Test
    void withoutCreditsForOwnCallsThereAreNoReplies() {
        requireViolation((base, maxOwnCalls) -> new CreditLedger(base, maxOwnCalls) {
            @Override
            int ownShare() {
                return 0;
            }
        });
    }

    /** A client that keeps no credits for its replies to calls that come before its own are answered. */
    private static CreditModel modelOfAnUnreservingClient(long seed, CreditModel.Ledgers server) {
        CreditModel.Ledgers client = (base, maxOwnCalls) -> new CreditLedger(base, maxOwnCalls) {
            @Override
            public boolean mayCall() {
                return ownCalls() < mostCalls() && balance() >= 1;
            }
        };
        return new CreditModel(seed, true, false, client, server);
    }

    @Test
    @Requirement("V2-015")
    void peerThatKeepsNoCreditsForItsRepliesGetsThemAgain() {
        long first = System.nanoTime();
        for (long seed = first; seed < first + SEEDS; seed++) {
            try {
                modelOfAnUnreservingClient(seed, CreditLedger::new).run();
            } catch (CreditModel.Violation | AssertionError e) {
                fail("seed " + seed, e);
            }
        }
    }

    @Test
    void withoutThemAPeerThatKeepsNoCreditsStandsStill() {
        CreditModel.Ledgers mutant = (base, maxOwnCalls) -> new CreditLedger(base, maxOwnCalls) {
            @Override
            int creditsForCalls() {
                return base() - answersOwed();
            }
        };
        requireViolation(seed -> modelOfAnUnreservingClient(seed, mutant));
    }

    /** Says the new maximum before the old promises are used up. */
    private static class LoweringAtOnce extends CreditLedger {
        private final int ownCalls;

        LoweringAtOnce(int base, int maxOwnCalls) {
            super(base, maxOwnCalls);
            ownCalls = maxOwnCalls;
        }

        @Override
        public int maximum() {
            return base() + ownCalls;
        }
    }

    /** A model in which nobody could find a mistake would prove nothing. */
    private static void requireViolation(CreditModel.Ledgers mutant) {
        requireViolation(seed -> new CreditModel(seed, false, mutant));
    }

    private static void requireViolation(LongFunction<CreditModel> model) {
        for (long seed = 0; seed < SEEDS_OF_A_MUTANT; seed++) {
            try {
                model.apply(seed).run();
            } catch (CreditModel.Violation e) {
                return;
            }
        }
        fail("nothing wrong in " + SEEDS_OF_A_MUTANT + " seeds");
    }
}
