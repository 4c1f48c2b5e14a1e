// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import java.time.Instant;

/** Times on the wire: {@code nfstime3}, seconds since 1970 and nanoseconds, both unsigned (RFC 1813, section 2.6). */
public final class NfsTime {

    private NfsTime() {}

    /** Reads a time. */
    public static Instant read(ByteBuf in) {
        return Instant.ofEpochSecond(in.readUnsignedInt(), in.readUnsignedInt());
    }

    /** Writes a time; of the seconds as many bits as there is room for. */
    public static void write(ByteBuf out, Instant time) {
        out.writeInt((int) time.getEpochSecond()).writeInt(time.getNano());
    }
}
