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
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvWC;
import org.junit.jupiter.api.Test;

class SoftCqTest {

    private final IbvWC[] out = new IbvWC[64];
    private long pushed;
    private long taken;

    private void push(SoftCq queue, int count) {
        for (int i = 0; i < count; i++) {
            queue.push(pushed++, 0, 0, 0, 0, 0, 0, false);
        }
    }

    private void takeAll(SoftCq queue) {
        int count;
        while ((count = queue.take(out, out.length)) > 0) {
            for (int i = 0; i < count; i++) {
                assertThat(out[i].getWr_id()).isEqualTo(taken++);
            }
        }
        assertThat(taken).isEqualTo(pushed);
    }

    @Test
    void ringOfABurstShrinksAgainAndKeepsTheOrder() throws Exception {
        for (int i = 0; i < out.length; i++) {
            out[i] = new IbvWC();
        }
        try (Node node = new Node(SoftProviderConfig.builder().build())) {
            SoftCq queue = (SoftCq) node.cq;
            push(queue, 10);
            takeAll(queue);
            assertThat(queue.capacity()).isEqualTo(16);
            push(queue, 100_000);
            takeAll(queue);
            assertThat(queue.capacity()).isEqualTo(131_072);
            for (int i = 0; i < 10; i++) {
                push(queue, 1000);
                takeAll(queue);
            }
            assertThat(queue.capacity()).isEqualTo(SoftCq.KEPT_CAPACITY);
            push(queue, 5000);
            takeAll(queue);
        }
    }
}
