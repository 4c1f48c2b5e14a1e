// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a call of version 2 may go out. */
class LedgerCreditsTest {

    private static final int OWN_CALLS = 8;
    private static final int ONE_OF_THREE = 0x0003_0001;

    private final CreditLedger ledger = new CreditLedger(4, OWN_CALLS);
    private final OutboundQueue<Item> queue = new OutboundQueue<>(ledger, 64, OWN_CALLS);
    private final LedgerCredits credits = new LedgerCredits(ledger, queue, OWN_CALLS);

    /** One message. */
    private record Item(OutboundQueue.Kind kind, int messages, CreditLedger.@Nullable Answer answer)
            implements OutboundQueue.Item {

        @Override
        public int xid() {
            return 0;
        }
    }

    @Test
    @Requirement("V2-016")
    void callNeedsACredit() {
        assertThat(credits.mayCall()).isTrue();
        ledger.send();
        assertThat(credits.mayCall()).isFalse();

        ledger.onGranted(ONE_OF_THREE);

        assertThat(credits.mayCall()).isTrue();
    }

    /** Also where a credit has come that what waits has not got yet. */
    @Test
    @Requirement("V2-016")
    void callWaitsBehindWhatWaitsForACredit() {
        ledger.send();
        queue.offer(new Item(OutboundQueue.Kind.PROPERTIES, 1, null));
        assertThat(queue.next()).isNull();
        ledger.onGranted(ONE_OF_THREE);

        assertThat(credits.mayCall()).isFalse();
    }

    @Test
    @Requirement("V2-175")
    void callsInFlightAreAtMostThePeersMaximum() {
        ledger.onGranted(ONE_OF_THREE);

        assertThat(credits.window()).isEqualTo(3);
    }
}
