// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import java.nio.ByteBuffer;

/** Memory that C reads and writes: its octets, and where they are. This object keeps the memory alive. */
final class NativeMemory {

    private final ByteBuffer octets;
    private final long address;

    /** Zeroed. */
    NativeMemory(int bytes) {
        octets = Foreign.allocate(bytes);
        address = Foreign.get().address(octets);
    }

    /** In native order; position and limit mean nothing. */
    ByteBuffer octets() {
        return octets;
    }

    long address() {
        return address;
    }

    int bytes() {
        return octets.capacity();
    }
}
