// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import org.jspecify.annotations.Nullable;

/** What ends a stream with a Terminate: a violation by the peer, or a fault of this side that the peer has to learn. */
public final class StreamFault extends Exception {

    private static final long serialVersionUID = 1L;

    private final TerminateError error;
    private final transient byte @Nullable [] segment;
    private final int segmentBytes;

    /** A fault that no received segment caused. */
    public StreamFault(TerminateError error, String message) {
        this(error, message, null, 0);
    }

    /**
     * A fault caused by a received segment.
     *
     * @param segment      first octets of the ULPDU, enough for its headers
     * @param segmentBytes length of the whole ULPDU
     */
    public StreamFault(TerminateError error, String message, byte @Nullable [] segment, int segmentBytes) {
        super(message, null, false, false);
        this.error = error;
        this.segment = segment;
        this.segmentBytes = segmentBytes;
    }

    /** What the Terminate says. */
    public TerminateError error() {
        return error;
    }

    /** First octets of the offending ULPDU. */
    public byte @Nullable [] segment() {
        return segment;
    }

    /** Length of the offending ULPDU. */
    public int segmentBytes() {
        return segmentBytes;
    }
}
