// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.nettyrdma.internal.PeerLog;

/**
 * Functions of the event loop that channels of all kinds use.
 *
 * <p>Threading: any thread.
 */
public final class RdmaLoops {

    // Limited: peers may cause it, by connecting to a listener whose children have loops of another transport.
    private static final PeerLog REFUSED = PeerLog.of(RdmaLoops.class);

    private RdmaLoops() {}

    /**
     * Whether a loop drives RDMA channels. Only the registration of a channel asks, which fails if not. Netty then
     * names the type of the loop only, and that is the same for loops of all transports.
     */
    static boolean isCompatible(Channel channel, EventLoop loop) {
        boolean compatible = loop instanceof IoEventLoop ioLoop && ioLoop.isCompatible(RdmaIoHandle.class);
        if (!compatible) {
            REFUSED.warn(() -> channel.getClass().getSimpleName() + " needs an event loop of"
                    + " RdmaIoHandler.newFactory(), as in new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());"
                    + " its group is a "
                    + (loop.parent() == null ? loop : loop.parent()).getClass().getSimpleName()
                    + " of another transport");
        }
        return compatible;
    }

    /** Runs a task on the loop of a channel; at once if the caller is on it, or if the channel has none. */
    public static void run(Channel channel, Runnable task) {
        if (!channel.isRegistered() || channel.eventLoop().inEventLoop()) {
            task.run();
        } else {
            channel.eventLoop().execute(task);
        }
    }
}
