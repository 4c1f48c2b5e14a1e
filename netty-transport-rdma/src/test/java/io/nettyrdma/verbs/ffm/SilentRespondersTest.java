// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SilentRespondersTest {

    private final SiwQuirks responders = new SiwQuirks();
    private final List<Long> announcedAtMillis = new ArrayList<>();
    private long nowMillis = -50;
    private boolean silent = true;
    private boolean room = true;
    private int forgotten;

    @BeforeEach
    void connect() {
        responders.add(
                new SiwQuirks.Responder() {
                    @Override
                    public boolean isSilent() {
                        return silent;
                    }

                    @Override
                    public boolean announce() {
                        if (room) {
                            announcedAtMillis.add(nowMillis + 50);
                        }
                        return room;
                    }

                    @Override
                    public void forget() {
                        forgotten++;
                    }
                },
                TimeUnit.MILLISECONDS.toNanos(nowMillis));
    }

    private void runTo(long millis) {
        while (nowMillis < millis - 50) {
            nowMillis += 20;
            responders.onTurn(TimeUnit.MILLISECONDS.toNanos(nowMillis));
        }
    }

    @Test
    void silentResponderIsSentThreeWrites() {
        runTo(60_000);
        assertThat(announcedAtMillis).containsExactly(100L, 500L, 2100L);
        assertThat(responders.hasResponders()).isFalse();
        assertThat(forgotten).isOne();
    }

    @Test
    void responderThatHasSentSomethingIsLeftAlone() {
        runTo(300);
        silent = false;
        runTo(60_000);
        assertThat(announcedAtMillis).containsExactly(100L);
        assertThat(responders.hasResponders()).isFalse();
        assertThat(forgotten).isOne();
    }

    @Test
    void connectionThatIsOverIsLeftAlone() {
        room = false;
        runTo(60_000);
        assertThat(announcedAtMillis).isEmpty();
        assertThat(responders.hasResponders()).isFalse();
        assertThat(forgotten).isOne();
    }
}
