// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.deadline.Deadline;
import java.util.concurrent.TimeUnit;

/** The event loops that answer the same questions: those that channels of NIO are made for, and those of RDMA. */
enum LoopKind {
    NIO {
        @Override
        IoHandlerFactory factory() {
            return NioIoHandler.newFactory();
        }
    },
    RDMA {
        @Override
        IoHandlerFactory factory() {
            return LoopsOver.tested();
        }
    },
    /** Of RDMA over a provider that waits without a selector, whatever the tested one does. */
    THREAD {
        @Override
        IoHandlerFactory factory() {
            return LoopsOver.tested(
                    (method, arguments, real) -> method.getName().equals("selector") ? null : real.make());
        }
    };

    abstract IoHandlerFactory factory();

    EventLoopGroup group(int loops) {
        return new MultiThreadIoEventLoopGroup(loops, factory());
    }

    static <F extends Future<?>> F await(F future) throws InterruptedException {
        assertThat(future.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(future.cause()).isNull();
        return future;
    }

    static void end(EventLoopGroup group) throws InterruptedException {
        await(group.shutdownGracefully(0, 10, TimeUnit.SECONDS));
    }
}
