// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.nfs.server.DirectoryProcedures.Listing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListingTest {

    private static final int FILES = 100;

    private static final long SEED = 5;

    @TempDir
    Path directory;

    private final TreeSet<String> names = new TreeSet<>();
    private Export export;

    @BeforeEach
    void open() throws IOException {
        export = new Export(directory, 10, line -> {});
        for (int i = 0; i < FILES; i++) {
            names.add(Files.createFile(directory.resolve("file-" + i))
                    .getFileName()
                    .toString());
        }
    }

    @AfterEach
    void close() {
        export.open.close(node -> true);
    }

    private Listing list(DirectoryProcedures kept, long cookie) throws Exception {
        return kept.listing(export, export.table.root, cookie);
    }

    @Test
    void directoryUnderWayIsListedOnce() throws Exception {
        DirectoryProcedures kept = new DirectoryProcedures(SEED);
        Listing first = list(kept, 0);
        assertThat(first.names()).hasSize(FILES);
        for (long cookie : first.names().keySet()) {
            assertThat(list(kept, cookie)).isSameAs(first);
        }
        assertThat(list(kept, 0)).as("a new one from the beginning").isNotSameAs(first);
    }

    @Test
    void listingsInMemoryAreBounded() throws Exception {
        DirectoryProcedures kept = new DirectoryProcedures(7 * 140, SEED);
        List<String> listed = new ArrayList<>();
        Listing part;
        long cookie = 0;
        do {
            part = list(kept, cookie);
            assertThat(part.names()).hasSizeLessThanOrEqualTo(7);
            part.names()
                    .tailMap(cookie, false)
                    .values()
                    .forEach(name -> listed.add(new String(name, StandardCharsets.US_ASCII)));
            cookie = part.names().lastKey();
        } while (!part.reachesEnd());
        assertThat(listed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void listingContinuesAfterItWasDropped() throws Exception {
        Listing first = list(new DirectoryProcedures(SEED), 0);
        long last = new ArrayList<>(first.names().keySet()).get(FILES / 2);
        Files.createFile(directory.resolve("new"));
        Files.delete(directory.resolve(new String(first.names().get(last), StandardCharsets.US_ASCII)));
        Listing again = list(new DirectoryProcedures(SEED), last);
        assertThat(again.reachesEnd()).isTrue();
        assertThat(again.names()).containsAllEntriesOf(first.names().tailMap(last, false));
        assertThat(again.names()).hasSizeBetween(FILES - FILES / 2 - 1, FILES - FILES / 2);
    }
}
