// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire;

import io.netty.util.internal.UnstableApi;
import org.jspecify.annotations.Nullable;

/** The fault that an {@code RDMA2_ERROR} of version 2 reports (draft -01, sections 7 and 8.4). */
@UnstableApi
public enum Rdma2ErrorCode {
    // V2-127
    /** Version not supported: lowest and highest that are. */
    VERS(1, 2),
    /** Header that cannot be parsed. */
    BAD_XDR(2, 0),
    /** Property with a value that it cannot have. */
    BAD_PROPVAL(3, 0),
    /** Header type that is unknown or not allowed here. */
    INVAL_HTYPE(4, 0),
    /** Sequence of fragments that is none. */
    INVAL_CONT(5, 0),
    /** Too many read chunks: how many are processed. */
    READ_CHUNKS(6, 1),
    /** Too many write chunks: how many are processed. */
    WRITE_CHUNKS(7, 1),
    /** Too many segments: how many are processed. */
    SEGMENTS(8, 1),
    /** Write chunk that is too short: which, from 1, 0 if that is unknown, and octets it should have. */
    WRITE_RESOURCE(9, 2),
    /** Reply chunk that is missing or too short: octets it should have. */
    REPLY_RESOURCE(10, 1),
    /** Any other failure of the responder. */
    SYSTEM(100, 0);

    private final int number;
    private final int arguments;
    private final String draftName = "RDMA2_ERR_" + name();

    Rdma2ErrorCode(int number, int arguments) {
        this.number = number;
        this.arguments = arguments;
    }

    /** The name in the draft, such as {@code RDMA2_ERR_SYSTEM}. */
    public String draftName() {
        return draftName;
    }

    /** The code on the wire. */
    public int number() {
        return number;
    }

    /** Words that follow the code, 0 to 2. */
    public int arguments() {
        return arguments;
    }

    /** The code with a number, {@code null} for those of extensions, which have no arguments here. */
    public static @Nullable Rdma2ErrorCode of(int number) {
        for (Rdma2ErrorCode code : VALUES) {
            if (code.number == number) {
                return code;
            }
        }
        return null; // V2-136, V2-170
    }

    private static final Rdma2ErrorCode[] VALUES = values();
}
