// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.codec;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;

/**
 * {@code ERR_VERS} as every version understands and sends it: the four words of every header, the third of which is a
 * grant as in version 1, then word 4, 1, and the lowest and highest version (RFC 8166, section 4.2.4).
 *
 * <p>Threading: stateless. Ownership: buffers stay the caller's.
 */
public final class ErrVers {

    /** Octets of the whole message. */
    public static final int BYTES = 28;

    private static final int VERS = 4;
    private static final int ERR = 16;
    private static final int LOW = 20;
    private static final int HIGH = 24;
    private static final int ERR_VERS = 1; // V1-077

    private ErrVers() {}

    /**
     * Whether a message whose fourth word says {@code RDMA_ERROR} has this layout. Whatever version the error names.
     * V1-138, BIS-003
     *
     * @param message of at least 20 octets
     */
    public static boolean isIn(ByteBuf message) {
        return message.readableBytes() == BYTES
                && message.getInt(message.readerIndex() + ERR) == ERR_VERS
                && !isVersion2Error(message, message.readerIndex());
    }

    /** Four of version 2's own errors have the length and, by their flags, word 4 of an ERR_VERS. */
    private static boolean isVersion2Error(ByteBuf message, int start) {
        int code = message.getInt(start + LOW);
        return message.getInt(start + VERS) == 2 && (code == 6 || code == 7 || code == 8 || code == 10);
    }

    /** The versions that such a message names. */
    public static VersionRange supported(ByteBuf message) {
        int start = message.readerIndex();
        return new VersionRange(message.getUnsignedInt(start + LOW), message.getUnsignedInt(start + HIGH));
    }

    /** Appends what follows the four words of every header. */
    public static void write(VersionRange supported, ByteBuf out) {
        out.writeInt(ERR_VERS);
        out.writeInt((int) supported.low());
        out.writeInt((int) supported.high());
    }
}
