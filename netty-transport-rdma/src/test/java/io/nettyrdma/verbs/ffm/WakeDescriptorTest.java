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
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class WakeDescriptorTest {

    private WakeDescriptor descriptor;

    @BeforeEach
    void open() throws IOException {
        FakeDriver.requireLibraries();
        descriptor = new WakeDescriptor();
    }

    /** Its number may be another file's as soon as it is closed. */
    @Test
    void isClosedByTheLastThatWritesToIt() {
        assertThat(descriptor.enter()).isTrue();
        assertThat(descriptor.enter()).isTrue();

        descriptor.close();

        assertThat(descriptor.enter()).as("begins after the end").isFalse();
        descriptor.leave();
        assertThat(VerbsLibrary.isOpen(descriptor.fd())).isTrue();
        descriptor.leave();
        assertThat(VerbsLibrary.isOpen(descriptor.fd())).isFalse();
    }

    @Test
    void thatNobodyUsesIsClosedAtOnce() {
        descriptor.wakeup();
        descriptor.drain();
        descriptor.close();
        assertThat(VerbsLibrary.isOpen(descriptor.fd())).isFalse();
        descriptor.wakeup();
    }

    @Test
    void wakeupIsForgottenByADrain() {
        descriptor.wakeup();
        assertThat(descriptor.drain()).isTrue();
        assertThat(descriptor.drain()).isFalse();
        descriptor.close();
    }
}
