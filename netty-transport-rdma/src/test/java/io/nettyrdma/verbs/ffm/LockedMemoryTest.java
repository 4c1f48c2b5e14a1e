// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locked memory is bounded: what is said where the bound was met. */
class LockedMemoryTest {

    private static final int EINVAL = 22;

    @Test
    void limitIsThatOfTheProcess() {
        List<String> lines = List.of(
                "Limit                     Soft Limit           Hard Limit           Units     ",
                "Max processes             96383                96383                processes ",
                "Max locked memory         65536                8388608              bytes     ");
        assertThat(LockedMemory.limit(lines)).isEqualTo("65536 bytes");
        assertThat(LockedMemory.limit(List.of("Max locked memory         unlimited            unlimited   bytes ")))
                .isEqualTo("unlimited");
        assertThat(LockedMemory.limit(List.of())).isEqualTo("an unknown number of bytes");
    }

    @ParameterizedTest
    @ValueSource(ints = {VerbsLibrary.ENOMEM, VerbsLibrary.EPERM})
    void limitThatWasMetIsNamedWithItsValueAndTheRemedy(int errno) {
        assertThat(LockedMemory.explained(new NativeFailure("ibv_reg_mr of 70000 bytes: no", errno), "65536 bytes"))
                .hasMessage("ibv_reg_mr of 70000 bytes: no; registered memory, and most devices' queues, are locked"
                        + " memory, of which RLIMIT_MEMLOCK allows this process 65536 bytes: raise it (ulimit -l),"
                        + " or give CAP_IPC_LOCK, which siw ignores");
    }

    @Test
    void otherFailuresStayAsTheyAre() {
        NativeFailure other = new NativeFailure("ibv_reg_mr of 1 bytes: no", EINVAL);
        assertThat(LockedMemory.explained(other, "65536 bytes")).isSameAs(other);
        NativeFailure unbounded = new NativeFailure("ibv_reg_mr of 1 bytes: no", VerbsLibrary.ENOMEM);
        assertThat(LockedMemory.explained(unbounded, "unlimited")).isSameAs(unbounded);
    }
}
