// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;
import io.nettyrdma.examples.nfs.protocol.NfsTime;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Attributes that a client sets, {@code sattr3} (RFC 1813, section 2.6): null is for "leave it". */
record ToSet(
        @Nullable Integer mode,
        @Nullable Integer uid,
        @Nullable Integer gid,
        @Nullable Long size,
        @Nullable FileTime accessed,
        @Nullable FileTime modified) {

    static ToSet read(ByteBuf in) {
        return new ToSet(
                readInt(in),
                readInt(in),
                readInt(in),
                Xdr.readBoolean(in) ? (Long) in.readLong() : null,
                readTime(in),
                readTime(in));
    }

    private static @Nullable Integer readInt(ByteBuf in) {
        return Xdr.readBoolean(in) ? (Integer) in.readInt() : null;
    }

    private static @Nullable FileTime readTime(ByteBuf in) {
        int how = in.readInt();
        return switch (how) {
            case 0 -> null;
            case 1 -> FileTime.from(Instant.now()); // of the server
            case 2 -> FileTime.from(NfsTime.read(in));
            default -> throw new CorruptedFrameException("time_how " + how);
        };
    }

    static ToSet mode(@Nullable Integer mode) {
        return new ToSet(mode, null, null, null, null, null);
    }

    static ToSet size(@Nullable Long size) {
        return new ToSet(null, null, null, size, null, null);
    }
}
