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
