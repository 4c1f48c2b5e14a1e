// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndStepsTest {

    private final List<String> done = new ArrayList<>();

    private EndSteps.Step failing(String name, Exception failure) {
        return () -> {
            done.add(name);
            throw failure;
        };
    }

    @Test
    void everyStepRunsAndTheFirstFailureSuppressesTheOthers() {
        IOException first = new IOException("first");
        IllegalStateException second = new IllegalStateException("second");
        EndSteps steps = new EndSteps()
                .then(() -> done.add("a"))
                .then(failing("b", first))
                .then(() -> done.add("c"))
                .then(failing("d", second))
                .then(failing("e", first))
                .then(() -> done.add("f"));
        assertThat(done).containsExactly("a", "b", "c", "d", "e", "f");
        assertThatThrownBy(steps::end).isSameAs(first);
        assertThat(first).hasSuppressedException(second);
        assertThat(first.getSuppressed()).hasSize(1);
        assertThat(steps.failure()).isSameAs(first);
    }

    @Test
    void stepsAfterAFailureLeaveItTheFirst() {
        IOException cause = new IOException("cause");
        IllegalStateException more = new IllegalStateException("more");
        EndSteps steps = EndSteps.after(cause).then(failing("a", more)).then(failing("b", cause));
        assertThat(done).containsExactly("a", "b");
        assertThat(steps.failure()).isSameAs(cause).hasSuppressedException(more);
        assertThat(cause.getSuppressed()).hasSize(1);
    }

    @Test
    void nothingIsThrownIfNothingFailed() {
        EndSteps steps = new EndSteps().then(() -> done.add("a"));
        assertThat(steps.failure()).isNull();
        assertThatCode(steps::end).doesNotThrowAnyException();
    }

    @Test
    void checkedFailuresOfDisniBecomeIoExceptions() {
        Exception checked = new Exception("checked");
        assertThatThrownBy(new EndSteps().then(failing("a", checked))::end)
                .isInstanceOf(IOException.class)
                .hasCause(checked);
    }

    @Test
    void resultThatIsNotZeroIsAFailureByName() {
        assertThat(new EndSteps().thenFree("completion queue", () -> 0).failure())
                .isNull();
        assertThat(new EndSteps().thenFree("completion queue", () -> 16).failure())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("completion queue")
                .hasMessageContaining("16");
    }
}
