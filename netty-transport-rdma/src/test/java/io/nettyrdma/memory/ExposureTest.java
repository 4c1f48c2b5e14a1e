// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
