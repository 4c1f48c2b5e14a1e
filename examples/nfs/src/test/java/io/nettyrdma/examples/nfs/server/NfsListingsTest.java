// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.longs;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.nio.file.Files;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Directories, listed in pieces. */
class NfsListingsTest extends NfsServerFixture {

    @Test
    void twoThousandFilesAreListedInPieces() throws Exception {
        TreeSet<String> expected = new TreeSet<>(List.of(".", ".."));
        for (int i = 0; i < 2000; i++) {
            Files.createFile(export.resolve("file-" + i));
            expected.add("file-" + i);
        }
        assertThat(list(true, () -> null)).hasSize(2002).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(list(false, () -> null)).hasSize(2002).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void listingsGiveWhatStaysOnceThroughChanges() throws Exception {
        TreeSet<String> staying = new TreeSet<>(List.of(".", ".."));
        for (int i = 0; i < 200; i++) {
            Files.createFile(export.resolve("stays-" + i));
            Files.createFile(export.resolve("goes-" + i));
            staying.add("stays-" + i);
        }
        int[] round = new int[1];
        List<String> names = list(true, () -> {
            Files.deleteIfExists(export.resolve("goes-" + round[0]));
            Files.createFile(export.resolve("comes-" + round[0]));
            round[0]++;
            return null;
        });
        assertThat(round[0]).isGreaterThan(5);
        assertThat(names).doesNotHaveDuplicates().containsAll(staying);
    }

    @Test
    void strangeCookiesAndTooLittleRoomAreRefused() throws Exception {
        newFile("file");
        client.call(Nfs3Procedure.READDIR, opaque(root), longs(5, 1234), ints(1000))
                .is(Nfs3Status.BAD_COOKIE);
        client.call(Nfs3Procedure.READDIR, opaque(root), longs(0, 0), ints(120)).is(Nfs3Status.TOOSMALL);
        client.call(Nfs3Procedure.READDIR, opaque(newFile("x")), longs(0, 0), ints(1000))
                .is(Nfs3Status.NOTDIR);
    }
}
