/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The few ONC RPC messages that tools of a transport need, without credentials (AUTH_NONE): calls without arguments and
 * replies without results (RFC 5531, section 9). Use an ONC RPC library for others.
 *
 * <p>Layout of a call: xid, 0, RPC version 2, program, version, procedure, credential {flavor, length}, verifier
 * {flavor, length}, arguments. Of an accepted reply: xid, 1, 0, verifier {flavor, length}, accept_stat, results.
 *
 * <p>Threading: stateless. Ownership: returned buffers belong to the caller; accessors do not change the message.
 */
public final class RpcHeaders {

    /** Octets of a call without credentials and arguments. */
    public static final int CALL_BYTES = 40;

    /** Octets of an accepted reply without verifier and results. */
    public static final int ACCEPTED_REPLY_BYTES = 24;

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

    private static final int MSG_DENIED = 1;
    private static final int RPC_MISMATCH = 0;

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

    /** Returns the {@code accept_stat} of a reply, or -1 if it was denied or is not a whole reply. */
    public static int acceptStatus(ByteBuf reply) {
        if (reply.readableBytes() < ACCEPTED_REPLY_BYTES || word(reply, 4) != REPLY || word(reply, 8) != MSG_ACCEPTED) {
            return -1;
        }
        int verifierBytes = word(reply, 16);
        if (verifierBytes < 0 || verifierBytes > MAX_AUTH_BYTES) {
            return -1;
        }
        int at = 20 + XdrLengths.padded(verifierBytes);
        return reply.readableBytes() < at + 4 ? -1 : word(reply, at);
    }

    private static int word(ByteBuf message, int offset) {
        return message.getInt(message.readerIndex() + offset);
    }
}
