// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

/**
 * The identity of a work request, which its completion brings back: registration (32 bits), operation (1 bit), slot
 * (31 bits). Of a failed completion only this and the status can be trusted, so everything that dispatch needs is here.
 */
final class WorkRequestId {

    /** Slot of a receive. */
    static final int RECEIVE = 0;
    /** Slot of a send queue entry of any opcode. */
    static final int SEND = 1;

    private WorkRequestId() {}

    static long of(int registration, int operation, int slot) {
        assert slot >= 0 && (operation & ~1) == 0;
        return (long) registration << 32 | (long) operation << 31 | slot;
    }

    static int registration(long id) {
        return (int) (id >>> 32);
    }

    static int operation(long id) {
        return (int) (id >>> 31) & 1;
    }

    static int slot(long id) {
        return (int) id & 0x7fffffff;
    }
}
