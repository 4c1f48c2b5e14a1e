// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WordFrequenciesTest {

    @Test
    void termsAreCountedByThePlaceThatTheyStandIn(@TempDir Path tree) throws IOException {
        Files.writeString(
                tree.resolve("Planted.java"),
                """
                package planted;
                /** What is sent. What else? It tells {@code octet}. */
                public class Planted {
                    // octets, so
                    // that it shall
                    String text = "there " + "is";
                }
                """);
        Files.writeString(tree.resolve("PLANTED.md"), "You have\nto ask what is sent.\n\n```\nnobody\n```\n");

        assertThat(WordFrequencies.of(tree).table("planted").lines())
                .containsExactly(
                        "| planted, per 10000 words | javadoc | comment | document | literal |",
                        "|---|---|---|---|---|",
                        "| words | 8 | 5 | 7 | 2 |",
                        "| whoever, nobody, somebody, anybody | 0.0 | 0.0 | 0.0 | 0.0 |",
                        "| tell, tells, told | 1250.0 | 0.0 | 0.0 | 0.0 |",
                        "| what, as a noun | 1250.0 | 0.0 | 1428.6 | 0.0 |",
                        "| so that | 0.0 | 2000.0 | 0.0 | 0.0 |",
                        "| has to, have to | 0.0 | 0.0 | 1428.6 | 0.0 |",
                        "| there is, there are | 0.0 | 0.0 | 0.0 | 5000.0 |",
                        "| octet, octets | 0.0 | 2000.0 | 0.0 | 0.0 |",
                        "| shall | 0.0 | 2000.0 | 0.0 | 0.0 |");
    }
}
