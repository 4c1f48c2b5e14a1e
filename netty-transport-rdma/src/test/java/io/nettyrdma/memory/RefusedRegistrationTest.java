// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.nettyrdma.verbs.choice.RdmaProviders;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A device that does not register memory, in libdisni's words: mostly because more must not be locked. netty #15699,
 * io_uring incubator #19, #23, #25, #41, #144, #163: such a limit showed as a linkage error.
 */
class RefusedRegistrationTest {

    private final IOException refused = new IOException("j2c::regMr: ibv_reg_mr failed: Cannot allocate memory\n");

    private RecordingDomain domain;
    private RegisteredMemoryPool pool;

    @BeforeEach
    void open() throws Exception {
        RdmaProviders.get(); // DiSNI's constructors ask for a provider
        domain = new RecordingDomain();
        pool = new RegisteredMemoryPool(domain, UnpooledByteBufAllocator.DEFAULT, () -> {});
    }

    @Test
    void memoryOfThePoolSaysHowMuchWasRefusedAndWhichLimitThatMayBe() {
        RegisteredByteBuf buffer = pool.allocate(4096);
        domain.refused = refused;
        assertThatThrownBy(buffer::ensureRegistered)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bytes")
                .hasMessageContaining("Cannot allocate memory")
                .hasMessageContaining("RLIMIT_MEMLOCK")
                .hasMessageNotContaining("\n")
                .hasCause(refused);
        assertThat(domain.liveCalls).isZero();
        buffer.release();
        pool.close();
    }

    @Test
    void limitThatTheProviderNamesIsNotNamedAgain() {
        RegisteredByteBuf buffer = pool.allocate(4096);
        domain.refused = new IOException("no; RLIMIT_MEMLOCK allows this process 65536 bytes: raise it");
        assertThatThrownBy(buffer::ensureRegistered)
                .hasMessageMatching("the device failed to register \\d+ bytes"
                        + " \\(no; RLIMIT_MEMLOCK allows this process 65536 bytes: raise it\\)");
        buffer.release();
        pool.close();
    }

    @Test
    void refusedEndOfARegistrationKeepsNoCall() throws Exception {
        RegisteredByteBuf buffer = pool.expose(
                Unpooled.directBuffer(100).writeZero(100), IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ);
        domain.refused = new IOException("j2c::deregMr: ibv_dereg_failed, error: Invalid argument\n");
        assertThatThrownBy(buffer::invalidate).hasMessageContaining("Invalid argument");
        assertThat(domain.liveCalls).isZero();
        domain.refused = null;
        buffer.invalidate();
        buffer.release();
        pool.close();
    }
}
