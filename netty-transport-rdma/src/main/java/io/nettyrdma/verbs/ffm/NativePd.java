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
