// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.spi.MemoryWindow;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A memory window of type 2. Ownership: until {@link #free}. Threading: as {@link MemoryWindow}. */
final class NativeMw implements MemoryWindow {

    private static final int IBV_MW_TYPE_2 = 2;
    private static final int CONSUMER_BITS = 0xff;

    private final NativeContext device;
    private final long pointer;
    private final ByteBuffer struct;
    private int bound;
    private boolean freed;

    /**
     * What {@code ibv_alloc_mw} does, which is not exported.
     *
     * @throws IOException if the device has no more
     */
    NativeMw(NativePd pd) throws IOException {
        device = (NativeContext) pd.getContext();
        try {
            pointer = (long) VerbsLibrary.ALLOC_MW.invokeExact(device.allocMw(), pd.pointer(), IBV_MW_TYPE_2);
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
        if (pointer == 0) {
            throw new IOException("device " + device + " has no more memory windows (max_mw: "
                    + device.limits().maxMemoryWindows() + ')');
        }
        struct = Foreign.get().at(pointer, VerbsLayout.IBV_MW_BYTES);
        struct.putLong(VerbsLayout.IBV_MW_CONTEXT, device.pointer());
        struct.putLong(VerbsLayout.IBV_MW_PD, pd.pointer());
        struct.putInt(VerbsLayout.IBV_MW_TYPE, IBV_MW_TYPE_2);
        bound = struct.getInt(VerbsLayout.IBV_MW_RKEY);
    }

    long pointer() {
        return pointer;
    }

    /**
     * The program that binds the window chooses the low octet of the key ({@code ibv_inc_rkey}). Drivers find the
     * window by its present key in the structure, and leave it to the program to put the new one there when the request
     * is posted.
     */
    @Override
    public int nextKey() {
        struct.putInt(VerbsLayout.IBV_MW_RKEY, bound);
        bound = bound & ~CONSUMER_BITS | bound + 1 & CONSUMER_BITS;
        return bound;
    }

    @Override
    public void free() throws IOException {
        if (!freed) {
            VerbsLibrary.succeed(
                    "ibv_dealloc_mw", () -> (int) VerbsLibrary.DEALLOC_MW.invokeExact(device.deallocMw(), pointer));
            freed = true; // only now: what is refused may still be bound
        }
    }
}
