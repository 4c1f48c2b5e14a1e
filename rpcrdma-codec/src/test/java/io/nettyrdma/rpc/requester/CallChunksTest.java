// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
