// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.SVCDeregMr;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registered memory, which knows its octets and how many requests under way name it.
 *
 * <p>Threading: any thread.
 */
final class StrictMr extends IbvMr {

    private final StrictPd pd;
    private final IbvMr kind;
    private final ByteBuffer memory;
    private final int rights;
    private final AtomicInteger requests = new AtomicInteger();

    StrictMr(StrictPd pd, IbvMr kind, ByteBuffer memory, int access) throws IOException {
        super(
                pd.getContext(),
                kind.getAddr(),
                kind.getLength(),
                access,
                kind.getLkey(),
                kind.getRkey(),
                pd.device().nextHandle());
        this.pd = pd;
        this.kind = kind;
        this.memory = memory.duplicate().clear();
        rights = access;
    }

    StrictPd pd() {
        return pd;
    }

    /** Whether a queue pair of {@code domain} may use these octets. */
    boolean allows(StrictPd domain, long address, int lengthBytes, boolean write) {
        long offset = address - getAddr();
        return isOpen()
                && pd == domain
                && offset >= 0
                && offset <= getLength()
                && lengthBytes <= getLength() - offset
                && (!write || (rights & IBV_ACCESS_LOCAL_WRITE) != 0);
    }

    /** A request under way names it. */
    void use() {
        requests.incrementAndGet();
    }

    void unuse() {
        requests.decrementAndGet();
    }

    byte[] copy(long address, int lengthBytes) {
        byte[] octets = new byte[lengthBytes];
        memory.get((int) (address - getAddr()), octets);
        return octets;
    }

    void put(long address, byte[] octets) {
        memory.put((int) (address - getAddr()), octets);
    }

    /** Leaves garbage. */
    void spoil(long address, int lengthBytes, Random random) {
        byte[] garbage = new byte[Math.min(lengthBytes, 4096)];
        random.nextBytes(garbage);
        int offset = (int) (address - getAddr());
        for (int done = 0; done < lengthBytes; done += garbage.length) {
            memory.put(offset + done, garbage, 0, Math.min(garbage.length, lengthBytes - done));
        }
    }

    @Override
    public SVCDeregMr deregMr() throws IOException {
        SVCDeregMr below = kind.deregMr();
        return new SVCDeregMr() {
            @Override
            public SVCDeregMr execute() throws IOException {
                return pd.device().calls().make(Verb.DEREGISTER, () -> {
                    below.execute();
                    if (isOpen() && requests.get() > 0 && pd.device().has(Trait.KEYS_CHECKED)) {
                        pd.device().violation("memory was deregistered that " + requests + " requests under way name");
                    }
                    pd.device().regions().remove(getLkey(), StrictMr.this);
                    close();
                    return this;
                });
            }

            @Override
            public boolean isValid() {
                return below.isValid();
            }

            @Override
            public SVCDeregMr free() {
                below.free();
                return this;
            }
        };
    }
}
