// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FairWorkersTest {

    private final CountDownLatch go = new CountDownLatch(1);
    private final LinkedBlockingQueue<String> began = new LinkedBlockingQueue<>();
    private FairWorkers workers;

    @AfterEach
    void stop() throws Exception {
        go.countDown();
        workers.close(Deadline.SECONDS);
    }

    private Runnable waiting(String name) {
        return () -> {
            began.add(name);
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    private String next() throws InterruptedException {
        return began.poll(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void oneConnectionHasHalfOfTheWorkers() throws Exception {
        workers = new FairWorkers(4);
        Executor greedy = workers.new Connection();
        for (int i = 0; i < 100; i++) {
            greedy.execute(waiting("greedy"));
        }
        assertThat(List.of(next(), next())).containsOnly("greedy");
        Executor other = workers.new Connection();
        other.execute(waiting("other"));
        assertThat(next()).isEqualTo("other");
        go.countDown();
        for (int i = 0; i < 98; i++) {
            assertThat(next()).isEqualTo("greedy");
        }
    }

    @Test
    void connectionsTakeTurns() throws Exception {
        workers = new FairWorkers(1);
        Executor first = workers.new Connection();
        Executor second = workers.new Connection();
        first.execute(waiting("hold"));
        assertThat(next()).isEqualTo("hold");
        for (int i = 0; i < 3; i++) {
            first.execute(() -> began.add("first"));
        }
        for (int i = 0; i < 3; i++) {
            second.execute(() -> began.add("second"));
        }
        go.countDown();
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            order.add(next());
        }
        // The first connection queues up again when its call ends, behind the second.
        assertThat(order).containsExactly("second", "first", "second", "first", "second", "first");
    }
}
