// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;

/** A loop that tells whether timers run on it. */
public final class TimedLoop extends SingleThreadIoEventLoop {

    public TimedLoop(IoHandlerFactory factory) {
        super(null, new DefaultThreadFactory(TimedLoop.class), factory);
    }

    public boolean hasTimers() {
        return submit(() -> nextScheduledTaskNano() >= 0).awaitUninterruptibly().getNow();
    }
}
