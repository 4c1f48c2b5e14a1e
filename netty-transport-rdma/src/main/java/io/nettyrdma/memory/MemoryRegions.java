// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCRegMr;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Registers memory with a device, and ends that.
 *
 * <p>Threading: the loop's that owns the protection domain.
 */
public final class MemoryRegions {

    private static final String LIMIT = "RLIMIT_MEMLOCK";

    private MemoryRegions() {}

    /**
     * Registers memory. If the device refuses, the slabs that are only kept make room.
     *
     * @param access {@code IbvMr.IBV_ACCESS_*}
     * @throws IOException if the device refuses; the message has the bytes, and the limit that may be the reason
     */
    public static IbvMr register(IbvPd pd, ByteBuffer memory, int access) throws IOException {
        try {
            return registerNow(pd, memory, access);
        } catch (IOException e) {
            if (!KeptSlabs.freeAllButOne()) {
                throw e;
            }
            return registerNow(pd, memory, access);
        }
    }

    private static IbvMr registerNow(IbvPd pd, ByteBuffer memory, int access) throws IOException {
        SVCRegMr call = pd.regMr(memory, access);
        try {
            return call.execute().getMr();
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage()).strip();
            String remedy = reason.contains(LIMIT) // the provider knows the limit's value
                    ? ""
                    : "; devices of the kernel lock this memory: raise " + LIMIT + " (ulimit -l)";
            throw new IOException(
                    "the device failed to register " + memory.remaining() + " bytes (" + reason + ')' + remedy, e);
        } finally {
            call.free();
        }
    }

    /** Ends a registration. Afterwards no peer and no device can reach the memory. */
    public static void deregister(IbvMr region) throws IOException {
        SVCDeregMr call = region.deregMr();
        try {
            call.execute();
        } finally {
            call.free();
        }
    }
}
