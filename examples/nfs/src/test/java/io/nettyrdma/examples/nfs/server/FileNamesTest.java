// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FileNamesTest {

    @Test
    void octetsComeBackWhateverTheyMean() throws Exception {
        for (String text :
                new String[] {"plain", "with space", "100%", "a/b", "/a/b", "../x", "grün", "/日本/x", "\u0001?#"}) {
            byte[] octets = text.getBytes(StandardCharsets.UTF_8);
            assertThat(FileNames.octets(FileNames.path(octets))).as(text).isEqualTo(octets);
        }
        for (int octet = 0x80; octet < 0x100; octet++) {
            byte[] octets = {'a', (byte) octet, 'b'};
            assertThat(FileNames.octets(FileNames.path(octets))).isEqualTo(octets);
        }
    }

    @Test
    void whatCannotBeAPathIsRefused() {
        assertThatThrownBy(() -> FileNames.path(new byte[0])).hasMessage("INVAL");
        assertThatThrownBy(() -> FileNames.path(new byte[] {'a', 0})).hasMessage("INVAL");
        assertThatThrownBy(() -> FileNames.path(new byte[] {'a', 0, (byte) 0xff}))
                .hasMessage("INVAL");
    }
}
