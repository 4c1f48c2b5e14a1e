// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Against what {@code integration-tests/lab/verbs-layout.c} has printed of the headers of several releases. */
class VerbsLayoutTest {

    private static List<Path> printed() throws IOException, URISyntaxException {
        Path directory =
                Path.of(VerbsLayoutTest.class.getResource("/verbs-layout").toURI());
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("printed")
    void fieldsLieWhereTheHeadersHaveThem(Path printed) throws Exception {
        assertThat(LayoutConstants.declared()).isEqualTo(LayoutConstants.printed(Files.readAllLines(printed)));
    }

    @Test
    void headersAreOfTheOldestAndTheNewestReleaseForBothProcessors() throws Exception {
        assertThat(printed())
                .extracting(path -> path.getFileName().toString())
                .contains(
                        "rdma-core-33-aarch64.txt",
                        "rdma-core-33-x86-64.txt",
                        "rdma-core-44-aarch64.txt",
                        "rdma-core-44-x86-64.txt",
                        "rdma-core-65-aarch64.txt",
                        "rdma-core-65-x86-64.txt");
    }

    @Test
    void partsEndBehindTheirLastField() {
        assertThat(VerbsLayout.IBV_CONTEXT_BYTES).isEqualTo(VerbsLayout.IBV_CONTEXT_NUM_COMP_VECTORS + Integer.BYTES);
        assertThat(VerbsLayout.IBV_QP_BYTES).isEqualTo(VerbsLayout.IBV_QP_STATE + Integer.BYTES);
        assertThat(VerbsLayout.IBV_CQ_BYTES).isEqualTo(VerbsLayout.IBV_CQ_CQE + Integer.BYTES);
    }
}
