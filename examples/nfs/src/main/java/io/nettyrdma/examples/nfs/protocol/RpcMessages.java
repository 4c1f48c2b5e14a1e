// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.CorruptedFrameException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.io.IOException;
import java.util.List;

/**
 * Headers of ONC RPC calls and replies (RFC 5531, section 9), the same over TCP and over RDMA, as far as {@link
 * RpcHeaders} does not have them: with credentials.
 */
public final class RpcMessages {

    private static final int CALL = 0;
    private static final int REPLY = 1;
    private static final int RPC_VERSION = 2;
    private static final int MSG_ACCEPTED = 0;
    private static final int MSG_DENIED = 1;
    private static final int AUTH_ERROR = 1;
    private static final int MAX_AUTH_BYTES = 400;
    private static final int CALL_BYTES = 512;

    /** Names of {@code auth_stat}, in the order of the numbers. */
    private static final List<String> AUTH_STATUS = List.of(
            "AUTH_OK",
            "AUTH_BADCRED",
            "AUTH_REJECTEDCRED",
            "AUTH_BADVERF",
            "AUTH_REJECTEDVERF",
            "AUTH_TOOWEAK",
            "AUTH_INVALIDRESP",
            "AUTH_FAILED");

    private RpcMessages() {}

    /** A call up to its arguments, which are to be appended. */
    public static ByteBuf call(
            ByteBufAllocator alloc, int xid, int program, int version, int procedure, AuthSys credential) {
        ByteBuf call = alloc.directBuffer(CALL_BYTES)
                .writeInt(xid)
                .writeInt(CALL)
                .writeInt(RPC_VERSION)
                .writeInt(program)
                .writeInt(version)
                .writeInt(procedure);
        credential.write(call);
        return call;
    }

    /**
     * What to tell a user of a reply that cannot be read.
     *
     * @param what   the call
     * @param server whose reply it is
     * @param why    the failure of who read it
     */
    public static IOException makesNoSense(String what, String server, RuntimeException why) {
        // Buffers describe themselves when they end too early, which is of no use to a user.
        String reason = why instanceof IndexOutOfBoundsException ? "it ends before it is complete" : why.getMessage();
        return new IOException("the reply of " + server + " to " + what + " is malformed: " + reason, why);
    }

    private static String authStatus(int number) {
        return number >= 0 && number < AUTH_STATUS.size() ? AUTH_STATUS.get(number) : "auth_stat " + number;
    }

    /** Moves the reader index of a reply to its results, or says why it has none. */
    public static void skipToResults(ByteBuf reply, String what) throws IOException {
        reply.skipBytes(4);
        int type = reply.readInt();
        if (type != REPLY) {
            throw new CorruptedFrameException("message of type " + type + " in place of a reply");
        }
        if (reply.readInt() != MSG_ACCEPTED) {
            throw new IOException(what + " was denied: "
                    + (reply.readInt() == AUTH_ERROR
                            ? authStatus(reply.readInt())
                            : "RPC_MISMATCH, versions " + reply.readUnsignedInt() + " to " + reply.readUnsignedInt()));
        }
        reply.skipBytes(4);
        XdrOpaque.read(reply, MAX_AUTH_BYTES);
        int status = reply.readInt();
        if (status != RpcHeaders.SUCCESS) {
            throw new IOException(what + " was answered with " + AcceptStatus.name(status));
        }
    }
}
