// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaByteBufAllocator;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.memory.RecordingDomain;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How octets that are sent come into registered memory: by a copy, or by a registration of where they are. */
class SentMemoryTest {

    private static final int POOLED = IbvMr.IBV_ACCESS_LOCAL_WRITE;
    private static final int WHERE_THEY_ARE = 0;

    static {
        Rdma.ensureAvailability(); // DiSNI's constructors ask for a provider
    }

    private final WorkRequestBatch batch = new WorkRequestBatch(8);
    private final RecordingDomain domain = new RecordingDomain();
    private final RegisteredMemoryPool pool = new RegisteredMemoryPool(domain, RdmaByteBufAllocator.DEFAULT, () -> {});

    SentMemoryTest() throws IOException {} // as the domain

    @AfterEach
    void end() throws Exception {
        pool.close();
    }

    private SendQueue queue(int copyBytes) {
        return new SendQueue(
                TestProvider.SOFT.extensions(), null, domain, pool, new Posting(), 1, copyBytes, 8, new LoopTraffic());
    }

    /** The rights of the memory that a message is sent from. */
    private int rightsFor(int copyBytes, ByteBuf message) throws Exception {
        SendQueue queue = queue(copyBytes);
        queue.addSend(message, message, 0, batch);
        int used = domain.rights.get(batch.get(batch.size() - 1).localKey());
        queue.abandon();
        message.release();
        return used;
    }

    @ParameterizedTest
    @ValueSource(ints = {SendQueue.CHEAP_COPY_BYTES, SendQueue.COPY_BYTES})
    void upToALengthTheyAreCopied(int copyBytes) throws Exception {
        assertThat(rightsFor(copyBytes, Unpooled.directBuffer(copyBytes).writeZero(copyBytes)))
                .isEqualTo(POOLED);
        int more = copyBytes + 1;
        assertThat(rightsFor(copyBytes, Unpooled.directBuffer(more).writeZero(more)))
                .isEqualTo(WHERE_THEY_ARE);
    }

    @Test
    void onTheHeapTheyAreCopied() throws Exception {
        int length = 2 * SendQueue.COPY_BYTES;
        assertThat(rightsFor(SendQueue.CHEAP_COPY_BYTES, Unpooled.buffer(length).writeZero(length)))
                .isEqualTo(POOLED);
    }

    /** The device may still read it: it must not be used again. */
    @Test
    void memoryWhoseRegistrationDoesNotEndIsKept() throws Exception {
        SendQueue queue = queue(SendQueue.COPY_BYTES);
        ByteBuf message = Unpooled.directBuffer(100_000).writeZero(100_000);
        queue.addSend(message, message, 0, batch);
        message.release();
        domain.refused = new IOException("ibv_dereg_mr: Device or resource busy (errno 16)");

        assertThatThrownBy(queue::abandon).isSameAs(domain.refused);

        assertThat(message.refCnt()).isOne();
        message.release();
    }

    @Test
    void refusedRegistrationSaysHowMuchWasRefusedAndKeepsNothing() throws Exception {
        SendQueue queue = queue(SendQueue.COPY_BYTES);
        ByteBuf message = Unpooled.directBuffer(100_000).writeZero(100_000);
        domain.refused = new IOException("j2c::regMr: ibv_reg_mr failed: Cannot allocate memory\n");
        assertThatThrownBy(() -> queue.addSend(message, message, 0, batch))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("100000 bytes")
                .hasMessageContaining("RLIMIT_MEMLOCK");
        assertThat(domain.liveCalls).isZero();
        assertThat(message.refCnt()).isOne();
        message.release();
    }
}
