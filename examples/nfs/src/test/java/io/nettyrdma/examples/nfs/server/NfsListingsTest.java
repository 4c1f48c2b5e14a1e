/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
    void listingsGiveWhatStaysOnceThroughChangesAndRestarts() throws Exception {
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
            if (round[0]++ == 3) {
                stopServer();
                startServer();
            }
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
