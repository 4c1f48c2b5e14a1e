// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.nettyrdma.channel.StreamTransport;
import java.util.concurrent.TimeUnit;

/** The event loops of {@link StreamTransport} for Lettuce, which does not shut them down. */
final class LettuceLoops implements EventLoopGroupProvider {

    private static final Future<Boolean> DONE = ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);

    @Override
    @SuppressWarnings("unchecked") // as Lettuce asks for the type that it knows, and only uses its interface
    public <T extends EventLoopGroup> T allocate(Class<T> type) {
        return (T) StreamTransport.UNDER_TEST.group();
    }

    @Override
    public int threadPoolSize() {
        return 1;
    }

    @Override
    public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
        return DONE;
    }

    @Override
    public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
        return DONE;
    }
}
