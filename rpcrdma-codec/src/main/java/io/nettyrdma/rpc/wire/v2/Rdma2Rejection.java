// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.nettyrdma.rpc.wire.header.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * A received message that is not processed, and the answer that draft -01, section 7, asks for.
 *
 * @param report the reaction and the defect, as listeners and logs see them
 * @param error  the body of the answer if it is an {@code RDMA2_ERROR}, {@code null} otherwise
 * @param type   word 3; 0 if the message is not one of version 2, or too short. The sequence depends on it
 * @param flags  word 4 without reserved flags, likewise
 */
public record Rdma2Rejection(Rejection report, @Nullable Rdma2Error error, int type, int flags)
        implements Rdma2Decoded {

    /** Returns the rejection of a message that has no flags, or none that version 2 knows. */
    static Rdma2Rejection withoutFlags(Rejection report) {
        return new Rdma2Rejection(report, null, 0, 0);
    }

    /** Returns the rejection of a message that is too short to be looked at: it is discarded. */
    static Rdma2Rejection tooShort(int xid, int version, int bytes, int expectedBytes) {
        return withoutFlags(Rejection.tooShort(xid, version, bytes, expectedBytes));
    }

    /** The answer: never {@code ERR_CHUNK}. */
    public Rejection.Reaction reaction() {
        return report.reaction();
    }

    @Override
    public int xid() {
        return report.xid();
    }

    /** Word 1. */
    public int version() {
        return report.version();
    }

    @Override
    public String toString() {
        return report.toString();
    }
}
