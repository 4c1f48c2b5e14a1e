// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.captures;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/** One TCP connection of a capture: the octets of both directions in their order. */
public final class CapturedConnection {

    /** One direction. */
    public static final class Direction {
        private final ByteArrayOutputStream octets = new ByteArrayOutputStream();
        /** Segments that came early, by the offset of their first octet. */
        private final Map<Integer, byte[]> early = new TreeMap<>();

        private int firstSequence;
        private boolean fin;
        private boolean reset;

        private Direction() {}

        void start(int synSequence) {
            firstSequence = synSequence + 1;
        }

        void segment(int sequence, byte[] payload) {
            int offset = sequence - firstSequence;
            if (payload.length == 0 || offset + payload.length <= octets.size()) {
                // Nothing, or sent again.
                return;
            }
            if (offset > octets.size()) {
                early.put(offset, payload);
                return;
            }
            int known = octets.size() - offset;
            octets.write(payload, known, payload.length - known);
            byte[] next = early.remove(octets.size());
            if (next != null) {
                segment(firstSequence + octets.size(), next);
            }
        }

        void fin() {
            fin = true;
        }

        void reset() {
            reset = true;
        }

        /** All octets. */
        public ByteBuffer octets() throws IOException {
            if (!early.isEmpty()) {
                throw new IOException("octets are missing behind " + octets.size());
            }
            return ByteBuffer.wrap(octets.toByteArray());
        }

        /** Whether the sender has ended the direction with a FIN. */
        public boolean hasFin() {
            return fin;
        }

        /** Whether the sender has reset the connection. */
        public boolean hasReset() {
            return reset;
        }
    }

    /** From the side that has connected. */
    public final Direction forth = new Direction();
    /** From the side that has listened. */
    public final Direction back = new Direction();

    private final int initiatorPort;
    private final int responderPort;

    CapturedConnection(int initiatorPort, int responderPort) {
        this.initiatorPort = initiatorPort;
        this.responderPort = responderPort;
    }

    boolean isSameStart(int synSequence) {
        return forth.firstSequence == synSequence + 1;
    }

    /** Port of the side that has connected. */
    public int initiatorPort() {
        return initiatorPort;
    }

    /** Port of the side that has listened. */
    public int responderPort() {
        return responderPort;
    }
}
