// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.nettyrdma.rpc.wire.Rdma2ErrorCode;

/**
 * The body of an {@code RDMA2_ERROR}: code (4 octets), then 0 to 2 numbers (4 each); {@code rpcrdma2_error} of draft
 * -01, section 8.4.
 *
 * @param code   what is wrong
 * @param first  the number behind the code, 0 to 2<sup>32</sup>-1; 0 if the code has none
 * @param second the number behind that, likewise
 */
public record Rdma2Error(Rdma2ErrorCode code, long first, long second) {

    /** Of a header that cannot be parsed. */
    public static final Rdma2Error BAD_XDR = of(Rdma2ErrorCode.BAD_XDR);
    /** Of a property with a value that it cannot have. */
    public static final Rdma2Error BAD_PROPVAL = of(Rdma2ErrorCode.BAD_PROPVAL);
    /** Of a header type that is unknown or not allowed here. */
    public static final Rdma2Error INVAL_HTYPE = of(Rdma2ErrorCode.INVAL_HTYPE);
    /** Of fragments that are no sequence. */
    public static final Rdma2Error INVAL_CONT = of(Rdma2ErrorCode.INVAL_CONT);
    /** Of any other failure of the responder. */
    public static final Rdma2Error SYSTEM = of(Rdma2ErrorCode.SYSTEM);

    /** @throws IllegalArgumentException if a number is out of range, or not 0 and the code has none */
    public Rdma2Error {
        Rdma2.requireWord(first, "first number");
        Rdma2.requireWord(second, "second number");
        if (code.arguments() < 1 && first != 0 || code.arguments() < 2 && second != 0) {
            throw new IllegalArgumentException(
                    "numbers: " + first + ", " + second + " (expected: " + code.arguments() + " for " + code + ")");
        }
    }

    /** Octets of a message with this error, unless it is sent in the layout of all versions. */
    static int messageBytes(Rdma2ErrorCode code) {
        return Rdma2.ERR + 4 + 4 * code.arguments();
    }

    /** As the draft names it, such as {@code RDMA2_ERR_SYSTEM}. */
    public String name() {
        return code.draftName();
    }

    /** An error whose numbers are 0, or that has none. */
    public static Rdma2Error of(Rdma2ErrorCode code) {
        return new Rdma2Error(code, 0, 0);
    }

    /** Of a version that is not spoken. */
    public static Rdma2Error versions(long low, long high) {
        return new Rdma2Error(Rdma2ErrorCode.VERS, low, high);
    }

    /** Of a call with more than {@code max} read chunks. */
    public static Rdma2Error readChunks(long max) {
        return new Rdma2Error(Rdma2ErrorCode.READ_CHUNKS, max, 0);
    }

    /** Of a call with more than {@code max} write chunks. */
    public static Rdma2Error writeChunks(long max) {
        return new Rdma2Error(Rdma2ErrorCode.WRITE_CHUNKS, max, 0);
    }

    /** Of a call with more than {@code max} segments in its header. */
    public static Rdma2Error segments(long max) {
        return new Rdma2Error(Rdma2ErrorCode.SEGMENTS, max, 0);
    }

    /**
     * Of a result that is longer than its write chunk.
     *
     * @param chunk       which, counted from 1; 0 if that is not known
     * @param lengthBytes octets of the result
     */
    public static Rdma2Error writeResource(long chunk, long lengthBytes) {
        return new Rdma2Error(Rdma2ErrorCode.WRITE_RESOURCE, chunk, lengthBytes);
    }

    /**
     * Of a reply that is longer than its reply chunk, or has none.
     *
     * @param lengthBytes octets of the reply
     */
    public static Rdma2Error replyResource(long lengthBytes) {
        return new Rdma2Error(Rdma2ErrorCode.REPLY_RESOURCE, lengthBytes, 0);
    }
}
