// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;

/** A protection domain. */
final class NativePd extends IbvPd {

    private final long pointer;

    NativePd(NativeContext context) throws IOException {
        super(context);
        pointer = VerbsLibrary.pointer(
                "ibv_alloc_pd", () -> (long) VerbsLibrary.IBV_ALLOC_PD.invokeExact(context.pointer()));
        LayoutCheck.orUndo(
                () -> LayoutCheck.protectionDomain(
                        Foreign.get().at(pointer, VerbsLayout.IBV_PD_BYTES), context.pointer()),
                () -> deallocate(pointer));
    }

    long pointer() {
        return pointer;
    }

    /** Idempotent. */
    void deallocate() throws IOException {
        if (isOpen()) {
            deallocate(pointer);
            close();
        }
    }

    private static void deallocate(long pointer) throws IOException {
        VerbsLibrary.succeed("ibv_dealloc_pd", () -> (int) VerbsLibrary.IBV_DEALLOC_PD.invokeExact(pointer));
    }
}
