// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.ends.EndCase.Closer;
import io.nettyrdma.ends.EndCase.Reader;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The part of {@link EndMatrixTest} that is quick. */
class EndsTest {

    private static final Set<Integer> SIZES = Set.of(0, 1000, 300_000);

    private static List<EndCase> quick() {
        return EndCase.all().stream()
                .filter(EndCase::isOrdinary)
                .filter(question -> question.closer() == Closer.SERVER)
                .filter(question -> question.reader() == Reader.READS && SIZES.contains(question.bytes()))
                .filter(question -> question.isQuick())
                .toList();
    }

    @Test
    void streamEndsAsASocketDoes() throws Exception {
        assertThat(quick()).hasSizeBetween(20, 50);

        assertThat(EndDifferences.read().unknown(EndMatrix.ask(quick()))).isEmpty();
    }
}
