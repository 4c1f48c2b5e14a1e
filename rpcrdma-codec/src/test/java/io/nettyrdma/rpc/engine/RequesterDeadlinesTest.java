// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.DUPLICATE_XID;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** Calls that are not answered in time, and the credits they hold. */
class RequesterDeadlinesTest extends RequesterEngineFixture {

    @Test
    @Requirement({"V1-012"})
    void lateReplyFreesTheCreditAndIsDropped() {
        open(4);
        Call call = submit(1);
        expire(TIMEOUT);
        assertThat(call.failure).isInstanceOf(CallTimeoutException.class);
        assertThat(engine.inFlight()).isOne();
        assertThat(engine.submit(new Call(1, 2 * TIMEOUT))).hasFieldOrPropertyWithValue("reason", DUPLICATE_XID);

        assertThat(reply(1, 4)).isTrue();

        assertThat(call.endings()).isOne();
        assertThat(engine.inFlight()).isZero();
    }

    @Test
    @Requirement("BIS-014")
    void connectionIsClosedWhenTimedOutCallsHoldAllCredits() {
        open(2);
        submit(1);
        submit(2);
        Call waiting = new Call(3, 3 * TIMEOUT);
        assertThat(engine.submit(waiting)).isNull();

        expire(TIMEOUT);

        assertThat(closes).hasSize(1);
        engine.onConnectionLost(null);
        assertThat(waiting.failure).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void connectionStaysWhileACreditIsLeft() {
        open(2);
        submit(1);

        expire(TIMEOUT);

        assertThat(closes).isEmpty();
    }

    @Test
    void shrunkWindowMayBeHeldByTimedOutCallsToo() {
        open(2);
        submit(1);
        assertThat(engine.submit(new Call(2, 2 * TIMEOUT))).isNull();
        expire(TIMEOUT);

        reply(2, 1);

        assertThat(closes).hasSize(1);
    }

    @Test
    void cancelledCallsDoNotCloseTheConnectionBeforeAnotherTimesOut() {
        open(1);
        Call call = submit(1);
        engine.cancel(call);
        assertThat(call.failure).isInstanceOf(CancellationException.class);
        assertThat(closes).isEmpty();

        Call waiting = submit(2);
        expire(TIMEOUT);

        assertThat(waiting.failure).isInstanceOf(CallTimeoutException.class);
        assertThat(closes).hasSize(1);
    }

    @Test
    void nextDeadlineIsThatOfTheMostUrgentCall() {
        assertThat(engine.hasDeadline()).isFalse();
        engine.submit(new Call(1, 50));
        engine.submit(new Call(2, 30));
        assertThat(engine.nextDeadlineNanos()).isEqualTo(30);

        expire(30);

        assertThat(engine.nextDeadlineNanos()).isEqualTo(50);
        assertThat(engine.waiting()).isZero();
        expire(49);
        assertThat(engine.inFlight()).isOne();
        expire(50);
        assertThat(engine.hasDeadline()).isFalse();
    }

    @Test
    void deadlinesMayWrapAround() {
        long now = Long.MAX_VALUE - 10;
        engine.submit(new Call(1, now + 20));
        engine.submit(new Call(2, now + 5));

        assertThat(engine.nextDeadlineNanos()).isEqualTo(now + 5);
        expire(now + 6);
        assertThat(engine.nextDeadlineNanos()).isEqualTo(now + 20);
    }
}
