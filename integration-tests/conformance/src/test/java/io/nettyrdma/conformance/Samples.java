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
