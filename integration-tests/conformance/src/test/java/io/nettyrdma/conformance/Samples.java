// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for the tests of the listener; the build does not run them by themselves. */
final class Samples {

    private Samples() {}

    @Requirement("V1-001")
    static class Mixed {

        @Test
        @Requirement({"V1-002", "V1-003"})
        void passes() {}

        @Test
        void failing() {
            assertThat(1).isEqualTo(2);
        }

        @Test
        @Disabled("to be skipped")
        void disabled() {}

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3})
        void failsOnce(int number) {
            assertThat(number).isNotEqualTo(2);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3})
        void abortsOnce(int number) {
            Assumptions.assumeTrue(number == 2);
        }

        @Test
        @Tag("lab")
        void inTheLab() {}
    }

    static class Repeated {
        static int runs;

        @Test
        @Requirement("V1-001")
        void passesTheSecondTime() {
            assertThat(++runs).isEqualTo(2);
        }
    }

    abstract static class Contract {
        @Test
        @Requirement("V1-004")
        void holds() {}
    }

    static class Provider extends Contract {
        @Test
        void carriesNoId() {}
    }

    @Tag("native")
    static class Device extends Contract {}
}
