// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RegistrationsTest {

    /** A queue pair that is destroyed with requests outstanding may still have flushed them into the queue. */
    @Test
    void numbersOfEndedRegistrationsAreTellableFromThoseThatNeverWere() {
        Registrations registrations = new Registrations();
        int first = registrations.nextNumber();
        int second = registrations.nextNumber();
        assertThat(registrations.wasIssued(first)).isTrue();
        assertThat(registrations.wasIssued(second)).isTrue();
        assertThat(registrations.wasIssued(second + 1)).isFalse();
        assertThat(registrations.wasIssued(second + 1_000_000)).isFalse();
    }
}
