// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/** A handler does not accept a call or a reply, at least not now. Nothing was sent. */
public final class MessageNotAcceptedException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Why a message is not accepted. */
    public enum Reason {
        /** More calls wait for credits than {@code RpcRdmaConfig.maxCallsWaiting} allows. */
        QUEUE_FULL,
        /** Another call with the XID of this one is outstanding on the connection. */
        DUPLICATE_XID,
        /** No call in progress has the XID of the reply: it was already answered, refused, or never received. */
        UNKNOWN_XID,
        /**
         * A server calls a client that does not accept calls: in version 1 the client has not called yet (RFC 8167,
         * section 6), in version 2 it announced that it accepts none.
         */
        REVERSE_NOT_READY
    }

    /** Creates the exception for the message with this {@code xid}. */
    public MessageNotAcceptedException(int xid, Reason reason, String message) {
        super(xid, CallOutcome.FAILED, message, null);
        this.reason = reason;
    }

    /** Returns the exception for a call beyond {@code maxCallsWaiting}. */
    public static MessageNotAcceptedException ofFullQueue(int xid, int maxCallsWaiting) {
        String message = maxCallsWaiting + " calls wait already, RpcRdmaConfig.maxCallsWaiting is " + maxCallsWaiting
                + "; RpcRdmaClient.callWhenRoom waits for room instead";
        return new MessageNotAcceptedException(xid, Reason.QUEUE_FULL, message);
    }

    /** Returns why the message is not accepted. */
    public Reason reason() {
        return reason;
    }
}
