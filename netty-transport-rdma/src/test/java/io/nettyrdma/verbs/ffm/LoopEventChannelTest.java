// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.spi.VerbsConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** What an event loop hears, of a connection manager that has nothing to say. */
@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class LoopEventChannelTest {

    /** Enough that a loop which never waits looks at its descriptors in between. */
    private static final int TURNS = 1000;

    @Test
    void turnsOfABusyLoopTakeNoEventAway() throws Exception {
        FakeDriver driver = FakeDriver.install();
        NativeMemory channel = driver.memory(VerbsLayout.RDMA_EVENT_CHANNEL_BYTES);
        channel.octets().putInt(VerbsLayout.RDMA_EVENT_CHANNEL_FD, VerbsLibrary.eventFd());
        LoopEventChannel events = new LoopEventChannel(new NativeContexts(), channel.address());
        NativeCmId id = NativeCmId.requested(
                events, driver.memory(VerbsLayout.RDMA_CM_ID_BYTES).address());
        events.raise(VerbsConstants.CM_ESTABLISHED, id);

        for (int i = 0; i < TURNS; i++) {
            events.turn();
        }

        NativeCmEvent event = events.next();
        assertThat(event).isNotNull();
        assertThat(event.getConnIdPriv()).isSameAs(id);
        assertThat(event.getEvent()).isEqualTo(VerbsConstants.CM_ESTABLISHED);
    }
}
