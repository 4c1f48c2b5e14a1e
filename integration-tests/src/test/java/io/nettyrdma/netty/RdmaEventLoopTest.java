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
package io.nettyrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.testsuite.transport.AbstractSingleThreadEventLoopTest;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;

/** Netty's own test of event loops: life cycle, channels, suspension and auto-scaling. */
class RdmaEventLoopTest extends AbstractSingleThreadEventLoopTest {

    /** Some tests bound how long an end may take; finding the provider and loading classes is no part of that. */
    @BeforeAll
    static void load() {
        assertThat(new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory())
                        .shutdownGracefully(0, 10, TimeUnit.SECONDS)
                        .awaitUninterruptibly(10, TimeUnit.SECONDS))
                .isTrue();
    }

    @Override
    protected EventLoopGroup newEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @Override
    protected EventLoopGroup newAutoScalingEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(
                SCALING_MAX_THREADS,
                new ThreadPerTaskExecutor(new DefaultThreadFactory("rdma-scaling")),
                AUTO_SCALING_CHOOSER_FACTORY,
                RdmaIoHandler.newFactory());
    }

    @Override
    protected Channel newChannel() {
        return new RdmaServerChannel();
    }

    @Override
    protected Class<? extends ServerChannel> serverChannelClass() {
        return RdmaServerChannel.class;
    }
}
