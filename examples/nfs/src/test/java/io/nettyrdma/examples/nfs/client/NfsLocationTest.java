// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class NfsLocationTest {

    @Test
    void hasHostDirectoryAndName() {
        assertThat(NfsLocation.parse("server:/a//b/c", null))
                .isEqualTo(new NfsLocation("server", List.of("a", "b"), "c"));
        assertThat(NfsLocation.parse("server:/c", null)).isEqualTo(new NfsLocation("server", List.of(), "c"));
    }

    @Test
    void addressOfVersion6StandsInBrackets() {
        assertThat(NfsLocation.parse("[fe80::1]:/a", null).host()).isEqualTo("fe80::1");
    }

    @Test
    void slashAtTheEndMeansADirectory() {
        assertThat(NfsLocation.parse("server:/a/", "name")).isEqualTo(new NfsLocation("server", List.of("a"), "name"));
        assertThat(NfsLocation.parse("server:/", "name")).isEqualTo(new NfsLocation("server", List.of(), "name"));
    }

    @Test
    void anythingElseIsRefused() {
        for (String wrong : List.of("", "file", "server:file", ":/a", "server:/a/../b", "server:/./a", "server:/a/")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> NfsLocation.parse(wrong, null))
                    .withMessageEndingWith(": " + wrong);
        }
    }
}
