// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import io.netty.util.internal.UnstableApi;

/**
 * The two sides of a connection did not agree on a version of the protocol, or did not complete the exchange of
 * properties of version 2 (draft -01, sections 4.2.3 and 5). The connection ends.
 */
@UnstableApi
public final class VersionNegotiationException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final String reason;
    private final boolean isRefusal;
    private final boolean isFinal;

    /** @param xid of the properties sent by the side that made the connection, 0 if they did not arrive */
    public VersionNegotiationException(int xid, String message) {
        this(xid, message, false, false);
    }

    private VersionNegotiationException(int xid, String reason, boolean isRefusal, boolean isFinal) {
        super(xid, reason);
        this.reason = reason;
        this.isRefusal = isRefusal;
        this.isFinal = isFinal;
    }

    /**
     * Returns the exception for a peer that answered the properties of this side with an error.
     *
     * @param xid of the messages of properties
     */
    public static VersionNegotiationException ofRefusedProperties(int xid) {
        return new VersionNegotiationException(
                xid, "the peer refuses the transport properties of this side", true, false);
    }

    /**
     * Returns the exception for a peer that accepted version 2 and then answered {@code ERR_VERS}.
     *
     * @param xid of the messages of properties
     */
    public static VersionNegotiationException ofRefusedVersion(int xid) {
        return new VersionNegotiationException(xid, "the peer refuses version 2 after it has used it", false, true);
    }

    /**
     * Returns the exception for a peer that sent more properties than allowed.
     *
     * @param xid of the first message beyond the limit
     */
    public static VersionNegotiationException ofTooManyProperties(int xid) {
        return new VersionNegotiationException(xid, "the peer has too many properties", false, true);
    }

    /** Returns an exception with the same reason for a call that fails, with this exception as its cause. */
    public VersionNegotiationException forCall(int xid) {
        VersionNegotiationException failure = new VersionNegotiationException(xid, reason, isRefusal, isFinal);
        failure.initCause(this);
        return failure;
    }

    /** Returns whether the peer refuses the properties of this side, as it would again in version 2. */
    public boolean isRefusal() {
        return isRefusal;
    }

    /**
     * Returns whether reconnecting fails again even if version 1 is allowed, because the new connection offers version
     * 2 too: the peer refuses the version it spoke before, or has too many properties.
     */
    public boolean isFinal() {
        return isFinal;
    }
}
