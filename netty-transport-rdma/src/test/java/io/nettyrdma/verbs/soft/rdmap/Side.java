// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.StreamFault;
import java.nio.ByteBuffer;

/** One side of a running stream: a {@link Core}, and the octets on their way to the other side. */
final class Side extends Core {

    private static final int MAX_OCTETS_AT_ONCE = 1 << 18;

    /** Octets for the other side. */
    final ByteBuffer wire = ByteBuffer.allocateDirect(2 * MAX_OCTETS_AT_ONCE).limit(0);
    /** What {@link #region} registers, with all rights. */
    final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);

    final Region region = register(memory, ALL);

    /** Small segments with CRCs, and four Reads at once. */
    Side() {
        this(true, 64, 4, Ddp.FIRST_MSN);
    }

    Side(boolean crc, int payload, int reads, int firstMsn) {
        super(crc, false, payload, firstMsn);
        queues.start(reads, reads);
    }

    /** Transmits, as if TCP took everything at once. */
    void transmit() throws StreamFault {
        wire.compact();
        ByteBuffer space = wire.slice(wire.position(), Math.min(wire.remaining(), MAX_OCTETS_AT_ONCE));
        transmitter.fill(space);
        wire.position(wire.position() + space.position());
        wire.flip();
        if (transmitter.fault() != null) {
            throw transmitter.fault();
        }
        retire();
    }

    /** Receives what the other side has transmitted. */
    void receiveFrom(Side other) throws StreamFault {
        receiver.consume(other.wire);
        retire();
    }

    /** Completes what is done, as if TCP had accepted all that is staged. */
    void retire() {
        queues.retire(transmitter.stagedOctets());
    }
}
