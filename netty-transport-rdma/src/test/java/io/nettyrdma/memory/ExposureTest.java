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
package io.nettyrdma.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.nettyrdma.verbs.choice.RdmaProviders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory that the peer is shown by another key than its registration's own. */
class ExposureTest {

    private static final int KEY = 0x1234;

    private final List<String> ended = new ArrayList<>();
    private boolean refused;

    private RecordingDomain domain;
    private RegisteredMemoryPool pool;

    private final Exposure exposure = new Exposure() {
        @Override
        public int key() {
            return KEY;
        }

        @Override
        public void end() throws IOException {
            if (refused) {
                throw new IOException("refused");
            }
            ended.add("exposure");
        }
    };

    @BeforeEach
    void open() throws Exception {
        RdmaProviders.get(); // DiSNI's constructors ask for a provider
        domain = new RecordingDomain(() -> ended.add("registration"));
        pool = new RegisteredMemoryPool(domain, UnpooledByteBufAllocator.DEFAULT, () -> {});
    }

    @AfterEach
    void close() {
        pool.close();
        assertThat(pool.capacityBytes()).isZero();
    }

    private RegisteredByteBuf exposed() throws IOException {
        RegisteredByteBuf memory = pool.allocateExposed(100, RegisteredMemoryPool.WINDOW_ACCESS);
        assertThat(memory.remoteKey()).isEqualTo(memory.region().getRkey());
        memory.exposeBy(exposure);
        assertThat(memory.remoteKey()).isEqualTo(KEY);
        return memory;
    }

    @Test
    void endsBeforeTheRegistrationAndOnce() throws Exception {
        RegisteredByteBuf memory = exposed();
        memory.invalidate();
        assertThat(ended).containsExactly("exposure", "registration");
        memory.invalidate();
        memory.release();
        assertThat(ended).hasSize(2);
    }

    @Test
    void memoryStaysRegisteredUntilItHasEnded() throws Exception {
        RegisteredByteBuf memory = exposed();
        refused = true;
        assertThatThrownBy(memory::invalidate).hasMessage("refused");
        assertThat(ended).isEmpty();
        assertThat(memory.remoteKey()).isEqualTo(KEY);
        refused = false;
        memory.release();
        assertThat(ended).containsExactly("exposure", "registration");
    }
}
