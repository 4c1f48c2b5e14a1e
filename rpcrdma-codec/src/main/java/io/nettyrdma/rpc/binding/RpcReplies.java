// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.util.BitSet;
import java.util.List;

/**
 * The header of an RPC reply (RFC 5531, section 9): where the results begin, and how long it can get.
 *
 * <p>Threading: stateless.
 */
final class RpcReplies {

    private static final int AUTH_NONE = 0;

    /** XID, message type, reply status, flavor and length of the verifier, accept status. */
    private static final int HEADER_BYTES = 24;
    /** PROG_MISMATCH carries two version numbers instead of results; no other failure is longer. */
    private static final int FAILURE_BYTES = 8;
    /** Octets from the XID of a call to the flavor of its credential. */
    private static final int FLAVOR_OFFSET = 24;

    private RpcReplies() {}

    /** At the results of a reply; failed if there are none, because the call failed or the reply cannot be decoded. */
    static XdrCursor results(ByteBuf reply, BitSet reduced) {
        XdrCursor in = new XdrCursor(reply, 0, reply.readableBytes(), reduced);
        in.skip(4);
        int type = in.readInt();
        int replyStatus = in.readInt();
        in.skip(4);
        in.skipOpaque(RpcHeaders.MAX_AUTH_BYTES);
        int acceptStatus = in.readInt();
        if (type != RpcHeaders.REPLY || replyStatus != RpcHeaders.MSG_ACCEPTED || acceptStatus != RpcHeaders.SUCCESS) {
            in.fail();
        }
        return in;
    }

    /**
     * The bounds of a whole reply. Only with AUTH_NONE does the verifier have to be empty: AUTH_SYS may be answered
     * with AUTH_SHORT, and RPCSEC_GSS with a checksum of any kind.
     *
     * @param call         whose credential tells how long the verifier can get
     * @param resultsBytes octets of the longest results
     */
    static ReplyBounds bounds(ByteBuf call, long resultsBytes, List<Integer> reducibleBytes) {
        XdrCursor in = new XdrCursor(call);
        in.skip(FLAVOR_OFFSET);
        int flavor = in.readInt();
        int verifierBytes = flavor == AUTH_NONE && !in.failed() ? 0 : RpcHeaders.MAX_AUTH_BYTES; // V1-145
        long bytes = HEADER_BYTES + verifierBytes + Math.max(FAILURE_BYTES, resultsBytes);
        return bytes > Integer.MAX_VALUE ? ReplyBounds.UNKNOWN : new ReplyBounds((int) bytes, reducibleBytes);
    }
}
