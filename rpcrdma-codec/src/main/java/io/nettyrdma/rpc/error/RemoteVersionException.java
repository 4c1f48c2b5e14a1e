// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/** The responder answered {@code ERR_VERS}: it does not speak this version (RFC 8166, section 4.5.1). */
public final class RemoteVersionException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final long lowVersion;
    private final long highVersion;

    /**
     * Creates the exception for a call that the peer refused.
     *
     * @param lowVersion  lowest version that the responder supports, unsigned as in {@code ERR_VERS}
     * @param highVersion highest version that the responder supports, likewise
     */
    public RemoteVersionException(int xid, int lowVersion, int highVersion) {
        super(
                xid,
                "responder supports versions " + Integer.toUnsignedString(lowVersion) + " to "
                        + Integer.toUnsignedString(highVersion));
        this.lowVersion = Integer.toUnsignedLong(lowVersion);
        this.highVersion = Integer.toUnsignedLong(highVersion);
    }

    /** Returns the lowest version that the responder supports, 0 to 2<sup>32</sup>-1. */
    public long lowVersion() {
        return lowVersion;
    }

    /** Returns the highest version that the responder supports, 0 to 2<sup>32</sup>-1. */
    public long highVersion() {
        return highVersion;
    }
}
