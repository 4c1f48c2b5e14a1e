// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCRegMr;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A protection domain that keeps what is registered, and refuses it if a test says so. */
public final class RecordingDomain extends IbvPd {

    /** The rights of each registration, in order; the position is the key. */
    public final List<Integer> rights = new ArrayList<>();

    /** Verb calls made and not freed. */
    public int liveCalls;

    /** What registering and deregistering fail with. */
    public IOException refused;

    private final Runnable deregistered;

    public RecordingDomain() throws IOException {
        this(() -> {});
    }

    /** @param deregistered told of each registration that has ended */
    RecordingDomain(Runnable deregistered) throws IOException {
        super(null);
        this.deregistered = deregistered;
    }

    private void execute() throws IOException {
        if (refused != null) {
            throw refused;
        }
    }

    @Override
    public SVCRegMr regMr(ByteBuffer buffer, int access) throws IOException {
        rights.add(access);
        Region region = new Region(buffer, access, rights.size() - 1);
        liveCalls++;
        return new SVCRegMr() {
            @Override
            public IbvMr getMr() {
                return region;
            }

            @Override
            public SVCRegMr execute() throws IOException {
                RecordingDomain.this.execute();
                return this;
            }

            @Override
            public boolean isValid() {
                return true;
            }

            @Override
            public SVCRegMr free() {
                liveCalls--;
                return this;
            }
        };
    }

    private final class Region extends IbvMr {
        Region(ByteBuffer buffer, int access, int key) throws IOException {
            super(null, 0, buffer.remaining(), access, key, key, key);
        }

        @Override
        public SVCDeregMr deregMr() {
            liveCalls++;
            return new SVCDeregMr() {
                @Override
                public SVCDeregMr execute() throws IOException {
                    RecordingDomain.this.execute();
                    deregistered.run();
                    return this;
                }

                @Override
                public boolean isValid() {
                    return true;
                }

                @Override
                public SVCDeregMr free() {
                    liveCalls--;
                    return this;
                }
            };
        }
    }
}
