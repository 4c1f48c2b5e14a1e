// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvMr;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Registered memory. Ownership: of the registration; the memory is the caller's, and held until it is ended. */
final class NativeMr extends IbvMr {

    private final long pointer;
    private final ByteBuffer memory;

    private NativeMr(NativePd pd, ByteBuffer memory, int access, long pointer, ByteBuffer mr) throws IOException {
        super(
                pd.getContext(),
                mr.getLong(VerbsLayout.IBV_MR_ADDR),
                memory.capacity(),
                access,
                mr.getInt(VerbsLayout.IBV_MR_LKEY),
                mr.getInt(VerbsLayout.IBV_MR_RKEY),
                0);
        this.pointer = pointer;
        this.memory = memory;
    }

    /** Registers all of a direct buffer, whatever its position and limit. */
    static NativeMr register(NativePd pd, ByteBuffer memory, int access) throws IOException {
        long address = Foreign.get().address(memory);
        long bytes = memory.capacity();
        long pointer;
        try {
            pointer = VerbsLibrary.pointer("ibv_reg_mr of " + bytes + " bytes", () ->
                    (long) VerbsLibrary.IBV_REG_MR.invokeExact(pd.pointer(), address, bytes, access));
        } catch (NativeFailure e) {
            throw LockedMemory.explained(e);
        }
        ByteBuffer struct = Foreign.get().at(pointer, VerbsLayout.IBV_MR_BYTES);
        LayoutCheck.orUndo(() -> LayoutCheck.memoryRegion(struct, address, bytes), () -> deregister(pointer));
        return new NativeMr(pd, memory, access, pointer, struct);
    }

    /** {@code struct ibv_mr *}. */
    long pointer() {
        return pointer;
    }

    ByteBuffer memory() {
        return memory;
    }

    /** Ends the registration. Idempotent. */
    void deregister() throws IOException {
        if (isOpen()) {
            deregister(pointer);
            close();
        }
    }

    private static void deregister(long pointer) throws IOException {
        VerbsLibrary.succeed("ibv_dereg_mr", () -> (int) VerbsLibrary.IBV_DEREG_MR.invokeExact(pointer));
    }
}
