// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import org.jspecify.annotations.Nullable;

/**
 * Has HotSpot tell in time that a peer has cut a file short and this thread has touched what is gone. It throws an
 * {@link InternalError}, but compiled code does so late: at the next change from Java to the VM, which may be in the
 * middle of another connection's work. Since Java 22 any native method that is no intrinsic is such a change. Before,
 * it takes a slow path of the VM itself; one that every compiler leaves there is the making of an array of arrays whose
 * lengths are unknown.
 */
final class CutFile {

    private static final boolean NATIVE_METHODS_TELL = Runtime.version().feature() >= 22;

    private final Object lock = new Object();
    private int none;
    private byte @Nullable [][] arrays;

    /**
     * Throws what is to be told of accesses until now.
     *
     * @throws InternalError if the file was cut short
     */
    void check() {
        if (NATIVE_METHODS_TELL) {
            Thread.holdsLock(lock);
        } else {
            arrays = new byte[none][none];
        }
    }
}
