// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How many calls may be in flight. */
class RequesterCreditsTest extends RequesterEngineFixture {

    @Test
    @Requirement({"V1-023", "V1-024"})
    void secondCallWaitsForTheFirstGrant() {
        Call first = submit(1);
        Call second = submit(2);

        assertThat(sent).containsExactly(first);

        reply(1, 8);
        assertThat(sent).containsExactly(first, second);
        assertThat(first.completed).isOne();
    }

    @Test
    @Requirement({"V1-015", "V1-024"})
    void afterTheFirstReplyAsManyAreInFlightAsItGrantedAndThisSideHasReceivesFor() {
        for (int xid = 1; xid <= 8; xid++) {
            submit(xid);
        }
        assertThat(engine.inFlight()).isOne();

        reply(1, 2);
        assertThat(engine.inFlight()).isEqualTo(2);
        reply(2, 0); // nobody may grant nothing, so it is 1
        assertThat(engine.inFlight()).isOne();
        reply(3, 0);
        assertThat(engine.inFlight()).isOne();
        reply(4, 0xffff_ffffL);
        assertThat(engine.inFlight()).isEqualTo(CREDITS);
    }

    @Test
    @Requirement({"V1-012", "V1-015"})
    void neverMoreCallsInFlightThanGranted() {
        open(3);
        for (int xid = 1; xid <= 8; xid++) {
            submit(xid);
        }
        assertThat(engine.inFlight()).isEqualTo(3);

        reply(2, 3);
        assertThat(engine.inFlight()).isEqualTo(3);
        assertThat(sent).hasSize(5); // with the one that opened the window
    }

    @Test
    @Requirement("V1-014")
    void neverMoreCallsInFlightThanRequested() {
        open(0xffff_ffffL);

        assertThat(engine.window()).isEqualTo(CREDITS);
    }

    @Test
    @Requirement("V1-016")
    void lowerGrantShrinksTheWindow() {
        open(4);
        for (int xid = 1; xid <= 6; xid++) {
            submit(xid);
        }
        sent.clear();

        reply(1, 2); // three in flight, two allowed
        reply(2, 2);
        assertThat(sent).isEmpty();

        reply(3, 2);
        assertThat(sent).extracting(Call::xid).containsExactly(5);
    }

    @Test
    @Requirement("V1-015")
    void grantOfZeroCountsAsOne() {
        open(0);

        assertThat(engine.window()).isOne();
    }

    @Test
    @Requirement({"V1-023", "V1-109"})
    void errorCarriesAGrantToo() {
        Call call = submit(1);

        engine.received(new RpcRdmaMessage.ErrorMsg(1, 1, 3, null), null);

        assertThat(call.failure).hasFieldOrPropertyWithValue("code", "ERR_CHUNK");
        assertThat(engine.window()).isEqualTo(3);
        assertThat(engine.inFlight()).isZero();
    }

    @Test
    @Requirement({"V1-012", "V1-014"})
    void randomTrafficKeepsTheRules() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Call> all = new ArrayList<>();
        long now = 0;
        long granted = 1;
        for (int step = 0; step < 50_000; step++) {
            now++;
            int event = random.nextInt(10);
            if (event < 5) {
                Call call = new Call(random.nextInt(64), now + 1 + random.nextInt(100));
                if (engine.submit(call) == null) {
                    all.add(call);
                }
            } else if (event < 9) {
                int xid = random.nextInt(64);
                long credits = random.nextInt(7);
                if (reply(xid, credits)) {
                    granted = Math.max(1, credits);
                }
            } else {
                expire(now);
            }
            int before = engine.inFlight();
            assertThat(engine.window()).as("seed %d step %d", seed, step).isEqualTo((int) Math.min(granted, CREDITS));
            assertThat(before).as("seed %d", seed).isLessThanOrEqualTo(CREDITS);
            assertThat(engine.waiting()).as("seed %d", seed).isLessThanOrEqualTo(MAX_WAITING);
        }
        engine.onConnectionLost(null);
        assertThat(all).as("seed %d", seed).allSatisfy(call -> assertThat(call.endings())
                .isOne());
        assertThat(all).allSatisfy(call -> assertThat(call.sent).isLessThanOrEqualTo(1));
    }
}
