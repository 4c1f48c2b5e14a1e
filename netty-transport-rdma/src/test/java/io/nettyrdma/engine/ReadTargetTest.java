// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.memory.RecordingDomain;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The rights of the memory that RDMA Reads fill. To iWARP the response is a tagged message to the reader's memory (RFC
 * 5040, section 4.4), and hardware checks its key like that of any RDMA Write.
 */
class ReadTargetTest {

    private static final int LOCAL = IbvMr.IBV_ACCESS_LOCAL_WRITE;
    private static final int WRITABLE = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE;

    static {
        Rdma.ensureAvailability(); // DiSNI's constructors ask for a provider
    }

    private final RecordingDomain domain = new RecordingDomain();
    private final RegisteredMemoryPool pool = new RegisteredMemoryPool(domain, RdmaByteBufAllocator.DEFAULT, () -> {});
    private final SendQueue queue =
            new SendQueue(verbs(), null, domain, pool, new Posting(), 1, SendQueue.COPY_BYTES, 8, new LoopTraffic());
    private final WorkRequestBatch batch = new WorkRequestBatch(8);
    private int wanted = WRITABLE;

    ReadTargetTest() throws IOException {} // as the domain

    private VerbsExtensions verbs() {
        return (VerbsExtensions) Proxy.newProxyInstance(
                VerbsExtensions.class.getClassLoader(),
                new Class<?>[] {VerbsExtensions.class},
                (proxy, method, args) -> {
                    assertThat(method.getName()).isEqualTo("readTargetAccess");
                    return wanted;
                });
    }

    @AfterEach
    void end() throws Exception {
        queue.abandon();
        pool.close();
    }

    private int rightsOfLast() {
        return domain.rights.get(batch.get(batch.size() - 1).localKey());
    }

    /** Adds a read of 100 octets into a buffer. */
    private RdmaRead read(ByteBuf target) throws Exception {
        RemoteSegment source = new RemoteSegment(1, 2, 100);
        RdmaRead read = new RdmaRead(source, target);
        queue.addRead(read, read.content(), source.lengthBytes(), source.key(), source.address(), batch);
        return read;
    }

    @Test
    void anyBufferIsRegisteredWithTheRightsThatTheDeviceWants() throws Exception {
        RdmaRead read = read(Unpooled.directBuffer(100));
        assertThat(rightsOfLast()).isEqualTo(WRITABLE);
        read.release();
    }

    @Test
    void memoryForLocalUseIsRegisteredOnceMoreForTheReadOnly() throws Exception {
        RegisteredByteBuf target = pool.allocate(4096);
        target.ensureRegistered();
        RdmaRead read = read(target);
        assertThat(rightsOfLast()).isEqualTo(WRITABLE);
        ByteBuf sent = pool.allocate(4096).writeZero(100);
        queue.addSend(sent, sent, 0, batch);
        assertThat(rightsOfLast()).isEqualTo(LOCAL);
        read.release();
        sent.release();
    }

    @Test
    void memoryThatAPeerMayWriteIsUsedAsItIs() throws Exception {
        RegisteredByteBuf target = pool.expose(
                Unpooled.directBuffer(100, 100).writeZero(100),
                IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE);
        target.clear();
        RdmaRead read = read(target);
        assertThat(domain.rights).hasSize(1);
        read.release();
    }

    @Test
    void deviceThatWantsNoMoreGetsNoMore() throws Exception {
        wanted = LOCAL;
        RegisteredByteBuf target = pool.allocate(4096);
        RdmaRead read = read(target);
        assertThat(rightsOfLast()).isEqualTo(LOCAL);
        assertThat(domain.rights).hasSize(1);
        read.release();
    }
}
