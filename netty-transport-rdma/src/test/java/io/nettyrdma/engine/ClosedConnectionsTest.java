// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.logs.Logs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClosedConnectionsTest {

    private static final long BYTES = 1000;
    private static final long EACH = ClosedConnections.CONNECTION_BYTES + BYTES;

    private final ClosedConnections closed = new ClosedConnections(3 * EACH);
    private final List<Channel> cut = new ArrayList<>();

    private Channel add(Channel channel, long unsentBytes) {
        closed.add(channel, unsentBytes, () -> cut.add(channel));
        return channel;
    }

    @Test
    void connectionWithoutProgressForTheLongestTimeIsCut() {
        Logs.expect(ClosedConnections.class, "closed connections hold more than");
        Channel first = add(new EmbeddedChannel(), BYTES);
        Channel second = add(new EmbeddedChannel(), BYTES);
        Channel third = add(new EmbeddedChannel(), BYTES);
        add(first, BYTES - 1);
        add(second, BYTES); // no progress
        assertThat(cut).isEmpty();
        add(new EmbeddedChannel(), BYTES);
        assertThat(cut).containsExactly(second);
        add(new EmbeddedChannel(), BYTES);
        assertThat(cut).containsExactly(second, third);
    }

    @Test
    void connectionThatHasEndedCountsNoMore() {
        Channel first = add(new EmbeddedChannel(), 3 * BYTES);
        closed.remove(first);
        assertThat(closed.contains(first)).isFalse();
        for (int i = 0; i < 3; i++) {
            add(new EmbeddedChannel(), BYTES);
        }
        assertThat(cut).isEmpty();
    }
}
