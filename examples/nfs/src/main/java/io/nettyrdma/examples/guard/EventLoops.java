// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.EventLoopGroup;
import java.util.concurrent.TimeUnit;

/** Ends event loops. */
public final class EventLoops {

    private EventLoops() {}

    /**
     * Closes all channels of event loops, and waits until they have ended, or for twice the time: a loop whose thread
     * could not start may never end. Not on an event loop; an interrupt does not end the wait.
     *
     * @param seconds after which loops take no more tasks
     */
    public static void shutDown(EventLoopGroup group, long seconds) {
        group.shutdownGracefully(0, seconds, TimeUnit.SECONDS).awaitUninterruptibly(2 * seconds, TimeUnit.SECONDS);
    }
}
