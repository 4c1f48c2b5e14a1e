// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import org.jspecify.annotations.Nullable;

/**
 * This side ends the connection, or does not begin to use it, because of its peer. Handlers fire this exception. Calls
 * fail with it, or with a {@link ConnectionLostException} that has it as its cause.
 */
public final class ConnectionFailedException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final String text;

    /** Faults of a peer. The first five are possible in version 2 of the protocol only. */
    public enum Reason {
        /** It did not agree on a version, or exchange properties, in time (draft -01, sections 4.2.3 and 5). */
        NOT_NEGOTIATED,
        /** It refuses the properties of this side, as it would again in version 2. */
        PROPERTIES_REFUSED,
        /** It refuses version 2 after it has used it. Another connection would end in the same way. */
        VERSION_REFUSED,
        /** It has too many properties. Another connection would end in the same way. */
        TOO_MANY_PROPERTIES,
        /**
         * It is not authenticated: the hook of {@code RpcRdmaVersion2Settings.hostAuthentication} refuses it or fails,
         * it does not take part, or the handshake needs more messages than a side may send.
         */
        NOT_AUTHENTICATED,
        /**
         * It kept this side waiting too long while this side held memory for it: for replies that it had not taken or
         * granted credits for, for RDMA Reads, or for a message without its last fragment.
         */
        TOO_SLOW,
        /** It is a server with more calls outstanding than its client granted. */
        TOO_MANY_CALLS
    }

    /** Creates the exception for a peer; {@code message} says what is wrong with it. */
    public ConnectionFailedException(Reason reason, String message) {
        this(0, reason, message);
    }

    /** Creates the exception for a peer; {@code xid} is of the message from which this side learned it. */
    public ConnectionFailedException(int xid, Reason reason, String message) {
        this(xid, reason, message, null);
    }

    private ConnectionFailedException(int xid, Reason reason, String message, @Nullable Throwable cause) {
        super(xid, CallOutcome.FAILED, message, cause);
        this.reason = reason;
        text = message;
    }

    /** Returns an exception with the same reason for a call that fails, with this exception as its cause. */
    public ConnectionFailedException forCall(int xid) {
        return new ConnectionFailedException(xid, reason, text, this);
    }

    /** Returns the fault of the peer. */
    public Reason reason() {
        return reason;
    }
}
