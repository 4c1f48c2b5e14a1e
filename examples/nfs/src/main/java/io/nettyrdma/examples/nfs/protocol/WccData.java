// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** What an object was like before and after a change: {@code wcc_data} (RFC 1813, section 2.6). */
public final class WccData {

    /** {@code wcc_attr}: length, time of the data, time of the attributes. */
    private static final int BEFORE_BYTES = 8 + 8 + 8;

    private WccData() {}

    /** Writes what is known; what was before is of use only together with what is after. */
    public static void write(ByteBuf out, @Nullable FileAttributes before, @Nullable FileAttributes after) {
        if (before == null || after == null) {
            Xdr.writeBoolean(out, false);
        } else {
            Xdr.writeBoolean(out, true);
            out.writeLong(before.sizeBytes());
            NfsTime.write(out, before.modified());
            NfsTime.write(out, before.changed());
        }
        FileAttributes.writeOptional(out, after);
    }

    /** Passes over it, for a client without a cache. */
    public static void skip(ByteBuf in) {
        if (Xdr.readBoolean(in)) {
            in.skipBytes(BEFORE_BYTES);
        }
        FileAttributes.readOptional(in);
    }
}
