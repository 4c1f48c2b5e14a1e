// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Reads the headers of ONC RPC messages, whatever their credentials (RFC 5531, section 9), and writes the few messages
 * that tools of a transport need, without credentials (AUTH_NONE).
 *
 * <p>Layout of a call: xid, 0, RPC version 2, program, version, procedure, credential {flavor, length, body}, verifier
 * {flavor, length, body}, arguments. Of an accepted reply: xid, 1, 0, verifier {flavor, length, body}, accept_stat,
 * results. Credential and verifier differ in length from call to call, and with them the place of what follows: use
 * {@link #arguments} and {@link #results}.
 *
 * <p>Threading: stateless. Ownership: returned buffers belong to the caller; accessors do not change the message.
 */
public final class RpcHeaders {

    /** Octets of the shortest call: without credentials and arguments. */
    private static final int CALL_BYTES = 40;

    /** Octets of the shortest accepted reply: without verifier and results. */
    static final int ACCEPTED_REPLY_BYTES = 24;

    /** {@code accept_stat}: the procedure was executed. */
    public static final int SUCCESS = 0;
    /** {@code accept_stat}: no such program. */
    public static final int PROG_UNAVAIL = 1;
    /** {@code accept_stat}: no such version of the program. */
    public static final int PROG_MISMATCH = 2;
    /** {@code accept_stat}: no such procedure. */
    public static final int PROC_UNAVAIL = 3;
    /** {@code accept_stat}: the arguments cannot be decoded. */
    public static final int GARBAGE_ARGS = 4; // V1-116, V2-143
    /** {@code accept_stat}: the responder had an internal error. */
    public static final int SYSTEM_ERR = 5;

    /** {@code msg_type} of a call. */
    public static final int CALL = 0;
    /** {@code msg_type} of a reply. */
    public static final int REPLY = 1;
    /** {@code rpcvers}. */
    public static final int RPC_VERSION = 2;
    /** Longest body of a credential or verifier, in octets (RFC 5531, section 8.2). */
    public static final int MAX_AUTH_BYTES = 400;
    /** {@code reply_stat}: accepted, executed or not. */
    public static final int MSG_ACCEPTED = 0;

    /** Octets of the XID and type, with which every message begins. */
    private static final int START_BYTES = 8;

    /** Octets from the XID to the credential of a call, which begins with its flavor. */
    private static final int CREDENTIAL = 24;
    /** Type and RPC version of a call, behind the XID. Two words at a time, as every access to a buffer is checked. */
    private static final long CALL_OF_THIS_VERSION = (long) CALL << Integer.SIZE | RPC_VERSION;

    private static final int MSG_DENIED = 1;
    private static final int RPC_MISMATCH = 0;
    private static final int AUTH_ERROR = 1;
    private static final int AUTH_BADCRED = 1;

    private RpcHeaders() {}

    /** Returns a call without credentials. Append arguments if any. Procedure 0 is every program's NULL procedure. */
    public static ByteBuf call(ByteBufAllocator alloc, int xid, int program, int version, int procedure) {
        return alloc.buffer(CALL_BYTES)
                .writeInt(xid)
                .writeInt(CALL)
                .writeInt(RPC_VERSION)
                .writeInt(program)
                .writeInt(version)
                .writeInt(procedure)
                .writeZero(16);
    }

    /**
     * Returns an accepted reply. If the status is {@link #SUCCESS}, append results if any.
     *
     * @param acceptStatus any but {@link #PROG_MISMATCH}; for that use {@link #programMismatch}
     */
    public static ByteBuf accepted(ByteBufAllocator alloc, int xid, int acceptStatus) {
        if (acceptStatus == PROG_MISMATCH) {
            throw new IllegalArgumentException("PROG_MISMATCH carries a range of versions");
        }
        return acceptedHeader(alloc, xid, acceptStatus, ACCEPTED_REPLY_BYTES);
    }

    /** Returns an accepted reply {@link #PROG_MISMATCH} with the supported versions. */
    public static ByteBuf programMismatch(ByteBufAllocator alloc, int xid, int lowVersion, int highVersion) {
        return acceptedHeader(alloc, xid, PROG_MISMATCH, ACCEPTED_REPLY_BYTES + 8)
                .writeInt(lowVersion)
                .writeInt(highVersion);
    }

    /** Returns a denied reply to a call that is not of RPC version 2. */
    public static ByteBuf rpcMismatch(ByteBufAllocator alloc, int xid) {
        return alloc.buffer(24)
                .writeInt(xid)
                .writeInt(REPLY)
                .writeInt(MSG_DENIED)
                .writeInt(RPC_MISMATCH)
                .writeInt(RPC_VERSION)
                .writeInt(RPC_VERSION);
    }

    /** Returns a denied reply to a call whose credential is of no use here: AUTH_ERROR with AUTH_BADCRED. */
    public static ByteBuf badCredential(ByteBufAllocator alloc, int xid) {
        return alloc.buffer(20)
                .writeInt(xid)
                .writeInt(REPLY)
                .writeInt(MSG_DENIED)
                .writeInt(AUTH_ERROR)
                .writeInt(AUTH_BADCRED);
    }

    private static ByteBuf acceptedHeader(ByteBufAllocator alloc, int xid, int acceptStatus, int bytes) {
        return alloc.buffer(bytes)
                .writeInt(xid)
                .writeInt(REPLY)
                .writeInt(MSG_ACCEPTED)
                .writeZero(8)
                .writeInt(acceptStatus);
    }

    /** Returns whether this is a message of that type, with XID and type at least. */
    public static boolean isOfType(ByteBuf message, int type) {
        return message.readableBytes() >= START_BYTES && word(message, 4) == type;
    }

    /** Returns whether this is a message of that type in whole words, as RPC requires. */
    public static boolean isWhole(ByteBuf message, int type) {
        return isOfType(message, type) && XdrLengths.isWholeWords(message.readableBytes());
    }

    /** Returns whether the message has the fixed part of a call, with message type CALL and RPC version 2. */
    public static boolean isCall(ByteBuf message) {
        return message.readableBytes() >= CALL_BYTES && word(message, 4) == CALL && word(message, 8) == RPC_VERSION;
    }

    /** Returns the XID of a call or reply. */
    public static int xid(ByteBuf message) {
        return word(message, 0);
    }

    /** Returns the XID, 0 if the message is too short for one. */
    public static int xidOrZero(ByteBuf message) {
        return message.readableBytes() < 4 ? 0 : xid(message);
    }

    /** Returns the program of a call. */
    public static int program(ByteBuf call) {
        return word(call, 12);
    }

    /** Returns the program version of a call. */
    public static int version(ByteBuf call) {
        return word(call, 16);
    }

    /** Returns the procedure of a call. */
    public static int procedure(ByteBuf call) {
        return word(call, 20);
    }

    /**
     * Returns the arguments of a call, behind its credential and verifier, whatever they are. They are those of the
     * procedure unless RPCSEC_GSS protects them.
     *
     * @return a slice that shares the reference count of the call: retain it to keep it
     * @throws IndexOutOfBoundsException if {@link #argumentsOffset} finds no arguments
     */
    public static ByteBuf arguments(ByteBuf call) {
        int offset = argumentsOffset(call);
        if (offset < 0) {
            throw new IndexOutOfBoundsException(
                    "no whole header of a call of RPC version 2 in a message of " + call.readableBytes() + " bytes");
        }
        return behind(call, offset);
    }

    /**
     * Returns the octets from the XID of a call to its arguments.
     *
     * @return -1 if this is not a whole header of a call of RPC version 2, or if its credential or verifier is longer
     *         than {@link #MAX_AUTH_BYTES}
     */
    public static int argumentsOffset(ByteBuf call) {
        if (call.readableBytes() < CALL_BYTES || call.getLong(call.readerIndex() + 4) != CALL_OF_THIS_VERSION) {
            return -1;
        }
        int verifier = authEnd(call, CREDENTIAL);
        return verifier < 0 ? -1 : authEnd(call, verifier);
    }

    /**
     * Returns the results of a reply, behind its verifier, whatever it is.
     *
     * @return a slice that shares the reference count of the reply: retain it to keep it
     * @throws IndexOutOfBoundsException if {@link #acceptStatus} finds no status
     */
    public static ByteBuf results(ByteBuf reply) {
        int status = statusOffset(reply);
        if (status < 0) {
            throw new IndexOutOfBoundsException(
                    "no whole header of an accepted reply in a message of " + reply.readableBytes() + " bytes");
        }
        return behind(reply, status + 4);
    }

    /** Returns the {@code accept_stat} of a reply, or -1 if it was denied or is not a whole reply. */
    public static int acceptStatus(ByteBuf reply) {
        int status = statusOffset(reply);
        return status < 0 ? -1 : word(reply, status);
    }

    private static int statusOffset(ByteBuf reply) {
        if (reply.readableBytes() < ACCEPTED_REPLY_BYTES || word(reply, 4) != REPLY || word(reply, 8) != MSG_ACCEPTED) {
            return -1;
        }
        int status = authEnd(reply, 12);
        return reply.readableBytes() - status < 4 ? -1 : status;
    }

    /** Returns where a credential or verifier that begins at an offset ends, -1 if it is too long or not all there. */
    private static int authEnd(ByteBuf message, int offset) {
        int bytes = message.readableBytes();
        if (bytes - offset < 8) {
            return -1;
        }
        long length = message.getUnsignedInt(message.readerIndex() + offset + 4);
        long end = offset + 8 + XdrLengths.padded(length);
        return length <= MAX_AUTH_BYTES && end <= bytes ? (int) end : -1;
    }

    private static ByteBuf behind(ByteBuf message, int offset) {
        return message.slice(message.readerIndex() + offset, message.readableBytes() - offset);
    }

    private static int word(ByteBuf message, int offset) {
        return message.getInt(message.readerIndex() + offset);
    }
}
