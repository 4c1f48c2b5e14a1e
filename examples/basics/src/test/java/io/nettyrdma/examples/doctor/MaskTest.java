// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaskTest {

    @ParameterizedTest
    @CsvSource({
        "connection timed out: /10.0.2.15:4321, connection timed out: /ADDRESS:4321",
        "connection timed out: /127.0.0.1:4321, connection timed out: /127.0.0.1:4321",
        "/fe80:0:0:0:5054:ff:fe12:3456%eth0, /ADDRESS",
        "gid fe80::5054:ff:fe12:3456, gid ADDRESS",
        "52:54:00:12:34:56, ADDRESS",
        "[::1]:7471 and /0:0:0:0:0:0:0:1:7471, [::1]:7471 and /0:0:0:0:0:0:0:1:7471",
        "box1 of alice; boxes, NAME of NAME; boxes",
        "java: 17.0.9 and netty 4.2.7.Final, java: 17.0.9 and netty 4.2.7.Final",
        "ok      messages: loss of the peer: 3 ms, ok      messages: loss of the peer: 3 ms"
    })
    void addressesAndNamesAreMaskedAndNothingElse(String text, String masked) {
        assertThat(new Mask("box1", "alice", "root", "").apply(text)).isEqualTo(masked);
    }
}
