// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JukeboxDelayTest {

    private static List<Long> delays(Duration limit) {
        JukeboxDelay delay = new JukeboxDelay(limit);
        List<Long> delays = new ArrayList<>();
        for (long millis; (millis = delay.nextMillis()) != JukeboxDelay.NEVER; ) {
            delays.add(millis);
        }
        return delays;
    }

    @Test
    void delaysDoubleUpToFiveSecondsAndFitTheLimitTogether() {
        assertThat(delays(Duration.ofSeconds(20))).containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L);
    }

    @Test
    void thereIsNoneWhereTheLimitIsShorterThanTheFirst() {
        assertThat(delays(Duration.ofMillis(99))).isEmpty();
        assertThat(delays(Duration.ofMillis(100))).containsExactly(100L);
    }
}
