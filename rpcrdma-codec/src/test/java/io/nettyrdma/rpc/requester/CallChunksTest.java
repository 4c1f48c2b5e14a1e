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
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The chunks of calls that have none: one object for all calls of all event loops. */
class CallChunksTest {

    private static final int LOOPS = 2;
    private static final int CALLS = 200_000;

    @Test
    void callsOfAllLoopsLetGoOfNoChunksAtOnce() throws Exception {
        ExecutorService loops = Executors.newFixedThreadPool(LOOPS);
        CyclicBarrier start = new CyclicBarrier(LOOPS);
        Callable<Integer> loop = () -> {
            start.await(Deadline.SECONDS, TimeUnit.SECONDS);
            for (int i = 0; i < CALLS; i++) {
                CallChunks.none().fence();
                CallChunks.none().release();
            }
            return CALLS;
        };
        try {
            List<Future<Integer>> ended = new ArrayList<>();
            for (int i = 0; i < LOOPS; i++) {
                ended.add(loops.submit(loop));
            }
            for (Future<Integer> each : ended) {
                assertThat(each.get()).isEqualTo(CALLS);
            }
        } finally {
            loops.shutdown();
        }
    }
}
