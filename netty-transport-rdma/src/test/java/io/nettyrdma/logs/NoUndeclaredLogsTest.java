// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.deadline.Deadline;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class NoUndeclaredLogsTest {

    private static final String LOGGER = "io.nettyrdma.logs.any";

    @Test
    void undeclaredLineFailsTheTest() {
        LoggerFactory.getLogger(LOGGER).warn("something of {}", "note", new IllegalStateException("cause"));

        assertThatThrownBy(NoUndeclaredLogs::assertNothingUndeclared)
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        "WARN " + LOGGER + " - something of note", "undeclaredLineFailsTheTest", "cause");
        assertThat(Logs.takeUndeclared()).isEmpty();
    }

    @Test
    void declaredLineMayComeBeforeOrAfterItsDeclaration() {
        InternalLoggerFactory.getInstance(LOGGER).error("first");
        ExpectedLog expected = Logs.expect(LOGGER, "fi");
        InternalLoggerFactory.getInstance(LOGGER).error("final", new IllegalStateException("cause"));

        assertThat(expected.await(2)).extracting(LogLine::message).containsExactly("first", "final");
        assertThat(expected.await().level()).isEqualTo(Level.ERROR);
        assertThat(expected.lines().get(1).thrown()).hasMessage("cause");
    }

    @Test
    void lineOfAnotherLoggerOrOfOtherWordsIsNotTheDeclaredOne() {
        ExpectedLog expected = Logs.allow(LOGGER, "declared");
        LoggerFactory.getLogger(LOGGER + ".other").warn("declared");
        LoggerFactory.getLogger(LOGGER).warn("other");

        assertThat(expected.lines()).isEmpty();
        assertThat(Logs.takeUndeclared()).hasSize(2);
    }

    @Test
    void lineBelongsToTheLatestDeclarationAndEarlierOnesNeedNoMoreOfIt() {
        ExpectedLog earlier = Logs.expect(LOGGER, "declared");
        LoggerFactory.getLogger(LOGGER).warn("declared by two");
        earlier.settle();
        ExpectedLog later = Logs.expect(LOGGER, "declared");
        LoggerFactory.getLogger(LOGGER).warn("declared by two");

        assertThat(later.await(1)).hasSize(1);
        assertThat(earlier.lines()).hasSize(1);
        earlier.settle();
    }

    @Test
    void promiseOfALoopThatHasEndedIsNobodysFault() {
        InternalLoggerFactory.getInstance("io.netty.util.concurrent.DefaultPromise.rejectedExecution")
                .error("Failed to submit a listener notification task. Event loop shut down?");

        assertThat(Logs.takeUndeclared()).isEmpty();
    }

    @Test
    void levelsBelowAreOff() {
        LoggerFactory.getLogger(LOGGER).info("nothing to see");

        assertThat(Logs.takeUndeclared()).isEmpty();
    }

    @Test
    void exceptionThatEndsAThreadIsALine() throws Exception {
        Thread thread = new Thread(
                () -> {
                    throw new IllegalStateException("of a thread");
                },
                "to fail");
        thread.start();
        thread.join(Deadline.MILLIS);

        assertThat(Logs.expect(NoUndeclaredLogs.UNCAUGHT, "to fail").await().thrown())
                .hasMessage("of a thread");
    }
}
