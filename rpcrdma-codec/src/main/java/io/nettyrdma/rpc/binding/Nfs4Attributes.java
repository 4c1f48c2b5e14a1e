// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

/**
 * How long the file attributes of NFS version 4 get (RFC 7531, RFC 5662, RFC 7863, RFC 8275, RFC 8276): the reply to
 * GETATTR has at most the attributes that were asked for.
 *
 * <p>Threading: stateless.
 */
final class Nfs4Attributes {

    private static final long ANY = XdrType.UNBOUNDED;
    private static final long BITMAP = Nfs4Operations.BITMAP.maxBytes();
    private static final long OWNER = 4 + Nfs4Operations.EXPECTED_OWNER_BYTES;
    private static final long HANDLE = Nfs4Operations.FILE_HANDLE.maxBytes();
    /** Format and policy, then a label as long as Linux allows. */
    private static final long LABEL = 8 + 4 + 2048;

    /**
     * Octets by attribute number. Lists of locations, layouts and access rights have no limit (RFC 8267, section 6.2).
     */
    private static final long[] BYTES = {
        /*  0 */ BITMAP,
        4,
        4,
        8,
        8,
        4,
        4,
        4,
        16,
        4,
        /* 10 */ 4,
        4,
        ANY,
        4,
        4,
        4,
        4,
        4,
        4,
        HANDLE,
        /* 20 */ 8,
        8,
        8,
        8,
        ANY,
        4,
        4,
        8,
        4,
        4,
        /* 30 */ 8,
        8,
        ANY,
        4,
        4,
        4,
        OWNER,
        OWNER,
        8,
        8,
        /* 40 */ 8,
        8,
        8,
        8,
        8,
        8,
        4,
        12,
        16,
        12,
        /* 50 */ 12,
        12,
        12,
        12,
        16,
        8,
        12,
        12,
        ANY,
        ANY,
        /* 60 */ 16,
        ANY,
        ANY,
        ANY,
        ANY,
        4,
        4,
        ANY,
        ANY,
        24,
        /* 70 */ 16,
        24,
        16,
        8,
        8,
        BITMAP,
        4,
        4,
        8,
        4,
        /* 80 */ LABEL,
        8,
        4
    };

    private Nfs4Attributes() {}

    /** Octets of the longest value with the attributes of the bitmap at the cursor. */
    static long maxBytes(XdrCursor bitmap) {
        long words = bitmap.readUnsigned();
        long bytes = 4 + 4 * words + 4;
        for (int word = 0; word < words && !bitmap.failed() && bytes < ANY; word++) {
            int bits = bitmap.readInt();
            for (; bits != 0; bits &= bits - 1) {
                int attribute = 32 * word + Integer.numberOfTrailingZeros(bits);
                bytes += attribute < BYTES.length ? BYTES[attribute] : ANY;
            }
        }
        return bytes;
    }
}
