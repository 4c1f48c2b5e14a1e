// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** The end of a connection of siw, which says DISCONNECTED before it completes the request that has failed. */
@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class EndOfSiwTest {

    private static final int ACCESS_ERROR = 3;

    private FakeDriver driver;
    private LoopEventChannel events;
    private NativeCmId id;
    private String reasonWhenFlushed = "not flushed";

    @BeforeEach
    void connect() throws Exception {
        driver = FakeDriver.installSiw();
        NativeMemory channel = driver.memory(VerbsLayout.RDMA_EVENT_CHANNEL_BYTES);
        channel.octets().putInt(VerbsLayout.RDMA_EVENT_CHANNEL_FD, VerbsLibrary.eventFd());
        events = new LoopEventChannel(new NativeContexts(), channel.address());
        id = id();
    }

    private NativeCmId id() throws IOException {
        NativeMemory struct = driver.memory(VerbsLayout.RDMA_CM_ID_BYTES);
        NativeCmId made = NativeCmId.requested(events, struct.address());
        NativeCq queue = driver.queue();
        made.queuePair(
                new NativeQp(
                        made,
                        null,
                        queue,
                        queue,
                        driver.memory(VerbsLayout.IBV_QP_BYTES).address()) {
                    @Override
                    void toError() {
                        reasonWhenFlushed = String.valueOf(made.reason());
                    }
                });
        return made;
    }

    private void disconnected() throws IOException {
        events.raise(VerbsConstants.CM_DISCONNECTED, id);
        NativeCmEvent event = events.next();
        assertThat(event).isNotNull();
        assertThat(event.getConnIdPriv()).isSameAs(id);
    }

    @Test
    void queuePairIsFlushedBeforeTheChannelHearsOfTheEnd() throws Exception {
        disconnected();
        assertThat(reasonWhenFlushed).isEqualTo("null");
        assertThat(id.reason()).isNull();
    }

    /** The device has reported that before, or does so at the same time. */
    @Test
    void reasonThatTheDeviceReportsIsThereBeforeTheChannelHearsOfTheEnd() throws Exception {
        driver.context.asyncEvents().on(ACCESS_ERROR, id.queuePair().pointer());
        disconnected();
        assertThat(reasonWhenFlushed).isEqualTo(id.reason()).startsWith("IBV_EVENT_QP_ACCESS_ERR");
    }
}
