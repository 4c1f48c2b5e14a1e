// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class WakeDescriptorTest {

    private WakeDescriptor descriptor;

    @BeforeEach
    void open() throws IOException {
        FakeDriver.requireLibraries();
        descriptor = new WakeDescriptor();
    }

    /** Its number may be another file's as soon as it is closed. */
    @Test
    void isClosedByTheLastThatWritesToIt() {
        assertThat(descriptor.enter()).isTrue();
        assertThat(descriptor.enter()).isTrue();

        descriptor.close();

        assertThat(descriptor.enter()).as("begins after the end").isFalse();
        descriptor.leave();
        assertThat(VerbsLibrary.isOpen(descriptor.fd())).isTrue();
        descriptor.leave();
        assertThat(VerbsLibrary.isOpen(descriptor.fd())).isFalse();
    }

    @Test
    void thatNobodyUsesIsClosedAtOnce() {
        descriptor.wakeup();
        descriptor.drain();
        descriptor.close();
        assertThat(VerbsLibrary.isOpen(descriptor.fd())).isFalse();
        descriptor.wakeup();
    }

    @Test
    void wakeupIsForgottenByADrain() {
        descriptor.wakeup();
        assertThat(descriptor.drain()).isTrue();
        assertThat(descriptor.drain()).isFalse();
        descriptor.close();
    }
}
