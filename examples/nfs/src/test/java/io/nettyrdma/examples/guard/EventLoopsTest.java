// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class EventLoopsTest {

    @Test
    void loopThatDoesNotEndIsNotWaitedForForEver() {
        CountDownLatch end = new CountDownLatch(1);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        group.execute(() -> {
            boolean ended = false;
            while (!ended) {
                try {
                    end.await();
                    ended = true;
                } catch (InterruptedException e) {
                    // the loop stays
                }
            }
        });
        EventLoops.shutDown(group, 1);
        assertThat(group.isTerminated()).isFalse();
        end.countDown();
        group.terminationFuture().awaitUninterruptibly();
    }

    @Test
    void loopsHaveEnded() {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        group.execute(() -> {});
        EventLoops.shutDown(group, 10);
        assertThat(group.isTerminated()).isTrue();
    }
}
