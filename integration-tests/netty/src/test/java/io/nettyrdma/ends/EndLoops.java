// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.netty.channel.EventLoopGroup;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The event loops that the runs of a transport share. */
final class EndLoops implements AutoCloseable {

    private static final int THREADS = 4;

    private final Map<EndKind, EventLoopGroup> groups = new EnumMap<>(EndKind.class);

    EndLoops() {
        for (EndKind kind : EndKind.available()) {
            groups.put(kind, kind.newGroup(THREADS));
        }
    }

    EventLoopGroup of(EndKind kind) {
        return groups.get(kind);
    }

    @Override
    public void close() {
        groups.values().forEach(group -> group.shutdownGracefully(0, 1, TimeUnit.SECONDS));
    }
}
