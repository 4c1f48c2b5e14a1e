// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.ends.EndMatrix.Answers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A connection of a byte stream ends as one of NIO or epoll, but for what differences.txt lists. */
@Tag("dropin")
@EnabledIfSystemProperty(named = "dropin.transport", matches = "rdma")
class EndMatrixTest {

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void streamEndsAsASocketDoes() throws Exception {
        List<Answers> answers = new ArrayList<>(EndMatrix.ask(EndCase.all()));
        answers.addAll(EndMatrix.askProcesses(name -> true));
        System.out.println(new EndReport(answers).text(false));

        assertThat(EndDifferences.read().unknown(answers)).isEmpty();
    }
}
