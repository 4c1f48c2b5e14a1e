// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A registered region with octets around it that are not registered, and must neither be read nor written. */
final class GuardedRegion {

    /** What a region is filled with. */
    static final byte CONTENT = 0x11;
    /** What is around it; a run of these on the wire comes from there. */
    static final byte GUARD = (byte) 0xa5;

    private static final int GUARD_BYTES = 64;

    final SoftMr mr;
    private final ByteBuffer whole;
    private final int lengthBytes;

    GuardedRegion(Node node, IbvPd pd, int lengthBytes, int access) throws IOException {
        this.lengthBytes = lengthBytes;
        whole = ByteBuffer.allocateDirect(lengthBytes + 2 * GUARD_BYTES);
        for (int i = 0; i < whole.capacity(); i++) {
            boolean inside = i >= GUARD_BYTES && i < GUARD_BYTES + lengthBytes;
            whole.put(i, inside ? CONTENT : GUARD);
        }
        mr = node.register(pd, whole.slice(GUARD_BYTES, lengthBytes), access);
    }

    int key() {
        return mr.getRkey();
    }

    long address() {
        return mr.getAddr();
    }

    /** Checks the octets around the region. */
    void expectGuards() {
        for (int i = 0; i < GUARD_BYTES; i++) {
            assertThat(whole.get(i)).as("octet %d in front of a region", i).isEqualTo(GUARD);
            assertThat(whole.get(GUARD_BYTES + lengthBytes + i))
                    .as("octet %d behind a region", i)
                    .isEqualTo(GUARD);
        }
    }

    /** Checks that the first octets were placed, and nothing else was written. */
    void expectPlaced(int octets, byte payload) {
        byte[] expected = new byte[lengthBytes];
        Arrays.fill(expected, CONTENT);
        Arrays.fill(expected, 0, octets, payload);
        byte[] actual = new byte[lengthBytes];
        whole.get(GUARD_BYTES, actual);
        assertThat(actual).isEqualTo(expected);
    }
}
