/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
