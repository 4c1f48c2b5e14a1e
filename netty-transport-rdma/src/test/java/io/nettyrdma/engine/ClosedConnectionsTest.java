// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.logs.Logs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClosedConnectionsTest {

    private static final long BYTES = 1000;
    private static final long EACH = ClosedConnections.CONNECTION_BYTES + BYTES;

    private final AtomicLong all = new AtomicLong();
    private final ClosedConnections closed = new ClosedConnections(3 * EACH, all);
    private final List<Channel> cut = new ArrayList<>();

    private Channel add(ClosedConnections to, Channel channel, long unsentBytes) {
        to.add(channel, unsentBytes, () -> {
            cut.add(channel);
            to.remove(channel);
        });
        return channel;
    }

    @Test
    void connectionWithoutProgressForTheLongestTimeIsCut() {
        Logs.expect(ClosedConnections.class, "closed connections hold more than");
        Channel first = add(closed, new EmbeddedChannel(), BYTES);
        Channel second = add(closed, new EmbeddedChannel(), BYTES);
        Channel third = add(closed, new EmbeddedChannel(), BYTES);
        add(closed, first, BYTES - 1);
        add(closed, second, BYTES); // no progress
        assertThat(cut).isEmpty();
        add(closed, new EmbeddedChannel(), BYTES);
        assertThat(cut).containsExactly(second);
        add(closed, new EmbeddedChannel(), BYTES);
        assertThat(cut).containsExactly(second, third);
    }

    @Test
    void loopsShareTheLimitAndEachCutsItsOwn() {
        Logs.expect(ClosedConnections.class, "closed connections hold more than");
        ClosedConnections other = new ClosedConnections(3 * EACH, all);
        add(other, new EmbeddedChannel(), BYTES);
        add(other, new EmbeddedChannel(), BYTES);
        Channel own = add(closed, new EmbeddedChannel(), BYTES);
        Channel last = add(closed, new EmbeddedChannel(), BYTES);
        assertThat(cut).containsExactly(own);
        closed.remove(last);
        assertThat(all).hasValue(2 * EACH);
    }
}
