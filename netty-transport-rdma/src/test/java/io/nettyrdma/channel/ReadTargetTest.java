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
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCRegMr;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.verbs.VerbsExtensions;
import io.nettyrdma.verbs.WorkRequestRing;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The rights of the memory that RDMA Reads fill. To iWARP the response is a tagged message to the reader's memory (RFC
 * 5040, section 4.4), and hardware checks its key like that of any RDMA Write.
 */
class ReadTargetTest {

    private static final int LOCAL = IbvMr.IBV_ACCESS_LOCAL_WRITE;
    private static final int WRITABLE = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE;

    /** The rights of each registration, in order; the position is the key. */
    private final List<Integer> rights = new ArrayList<>();

    private final WorkRequestRing batch = new WorkRequestRing(8, 1);
    private int wanted = WRITABLE;

    private final class Domain extends IbvPd {
        Domain() throws IOException {
            super(null);
        }

        @Override
        public SVCRegMr regMr(ByteBuffer buffer, int access) throws IOException {
            rights.add(access);
            Region region = new Region(buffer, access, rights.size() - 1);
            return new SVCRegMr() {
                @Override
                public IbvMr getMr() {
                    return region;
                }

                @Override
                public SVCRegMr execute() {
                    return this;
                }

                @Override
                public boolean isValid() {
                    return true;
                }

                @Override
                public SVCRegMr free() {
                    return this;
                }
            };
        }
    }

    private static final class Region extends IbvMr {
        Region(ByteBuffer buffer, int access, int key) throws IOException {
            super(null, 0, buffer.remaining(), access, key, key, key);
        }

        @Override
        public SVCDeregMr deregMr() {
            return new SVCDeregMr() {
                @Override
                public SVCDeregMr execute() {
                    return this;
                }

                @Override
                public boolean isValid() {
                    return true;
                }

                @Override
                public SVCDeregMr free() {
                    return this;
                }
            };
        }
    }

    private VerbsExtensions verbs() {
        return (VerbsExtensions) Proxy.newProxyInstance(
                VerbsExtensions.class.getClassLoader(),
                new Class<?>[] {VerbsExtensions.class},
                (proxy, method, args) -> {
                    assertThat(method.getName()).isEqualTo("readTargetAccess");
                    return wanted;
                });
    }

    private interface Body {
        void run(RegisteredMemoryPool pool, SendQueue queue) throws Exception;
    }

    private void with(Body body) throws Exception {
        Rdma.ensureAvailability(); // DiSNI's constructors ask for a provider
        Domain domain = new Domain();
        RegisteredMemoryPool pool = new RegisteredMemoryPool(domain, RdmaByteBufAllocator.DEFAULT, () -> {});
        SendQueue queue = new SendQueue(verbs(), null, domain, pool, 1, 8);
        body.run(pool, queue);
        queue.abandon();
        pool.close();
    }

    private int rightsOfLast() {
        return rights.get(batch.get(batch.size() - 1).sgeLocalKey(0));
    }

    private static RdmaRead read(ByteBuf target) {
        return new RdmaRead(new RemoteSegment(1, 2, 100), target);
    }

    @Test
    void anyBufferIsRegisteredWithTheRightsThatTheDeviceWants() throws Exception {
        with((pool, queue) -> {
            RdmaRead read = read(Unpooled.directBuffer(100));
            queue.add(read, batch);
            assertThat(rightsOfLast()).isEqualTo(WRITABLE);
            read.release();
        });
    }

    @Test
    void memoryForLocalUseIsRegisteredOnceMoreForTheReadOnly() throws Exception {
        with((pool, queue) -> {
            RegisteredByteBuf target = pool.allocate(4096);
            target.ensureRegistered();
            RdmaRead read = read(target);
            queue.add(read, batch);
            assertThat(rightsOfLast()).isEqualTo(WRITABLE);
            ByteBuf sent = pool.allocate(4096).writeZero(100);
            queue.add(sent, batch);
            assertThat(rightsOfLast()).isEqualTo(LOCAL);
            read.release();
            sent.release();
        });
    }

    @Test
    void memoryThatAPeerMayWriteIsUsedAsItIs() throws Exception {
        with((pool, queue) -> {
            RegisteredByteBuf target =
                    pool.expose(Unpooled.directBuffer(100, 100).writeZero(100), RdmaAccess.REMOTE_WRITE.flags());
            target.clear();
            RdmaRead read = read(target);
            queue.add(read, batch);
            assertThat(rights).hasSize(1);
            read.release();
        });
    }

    @Test
    void deviceThatWantsNoMoreGetsNoMore() throws Exception {
        wanted = LOCAL;
        with((pool, queue) -> {
            RegisteredByteBuf target = pool.allocate(4096);
            RdmaRead read = read(target);
            queue.add(read, batch);
            assertThat(rightsOfLast()).isEqualTo(LOCAL);
            assertThat(rights).hasSize(1);
            read.release();
        });
    }
}
