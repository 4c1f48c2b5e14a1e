// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class HostNameTest {

    @Test
    void hostWhoseNameDoesNotResolveIsToldWhatToDo() {
        assertThatThrownBy(() -> HostName.require(() -> {
                    throw new UnknownHostException("box: box: Name or service not known");
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("box: Name or service not known")
                .hasMessageContaining("/etc/hosts")
                .hasCauseInstanceOf(UnknownHostException.class);
    }

    @Test
    void hostWhoseNameResolvesIsServed() {
        assertThatCode(() -> HostName.require(InetAddress::getLoopbackAddress)).doesNotThrowAnyException();
        assertThatCode(HostName::require).doesNotThrowAnyException();
    }
}
