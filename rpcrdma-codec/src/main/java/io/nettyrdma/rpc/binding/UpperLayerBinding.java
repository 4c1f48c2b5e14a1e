// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.BitSet;
import java.util.List;

/**
 * The upper-layer binding of one version of one RPC program (RFC 8166, section 6). {@link XdrBinding} makes one of the
 * XDR types of a program; implement this interface only if these cannot describe it. Implementations look at messages
 * that come from peers and applications: whatever they cannot make sense of is not reducible; they never throw for it.
 *
 * <p>Offsets count from the reader index of the message, at which the XID is. Calls and replies are not changed.
 *
 * <p>Threading: stateless, any thread.
 */
public interface UpperLayerBinding {

    /** Reduces nothing and knows no bounds: the binding of all programs without one. */
    UpperLayerBinding NONE = new UpperLayerBinding() {
        @Override
        public boolean mayReduceArguments(RpcCallHeader header) {
            return false;
        }

        @Override
        public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
            return List.of();
        }

        @Override
        public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
            return ReplyBounds.UNKNOWN;
        }

        @Override
        public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
            return List.of();
        }
    };

    /**
     * Whether the procedure has arguments that may be in read chunks. A responder asks before it pulls anything; the
     * arguments are not there yet.
     */
    boolean mayReduceArguments(RpcCallHeader header);

    /**
     * The arguments that may be in read chunks.
     *
     * @param call a whole call, all arguments in place
     * @return in ascending order, each within the message, padding included. Ends before the first argument
     *         that cannot be decoded
     */
    List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call);

    /**
     * Whether it does no harm if this call is executed twice. Asked where version 2 of the protocol is spoken, in which
     * a call can be made again if there was too little room for its reply.
     *
     * @param call a whole call
     */
    default boolean isRepeatable(RpcCallHeader header, ByteBuf call) {
        return false;
    }

    /**
     * How long the reply to this call can get.
     *
     * @param call a whole call
     */
    ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call);

    /**
     * The results that may be in write chunks; the n-th belongs to the n-th write chunk of the call.
     *
     * @param header  of the call
     * @param reply   from its XID on
     * @param reduced the results that were taken out of this reply already: behind the length word of the n-th, if the
     *                n-th bit is set, follows neither content nor padding. Empty for a whole reply
     * @return in ascending order, offsets in {@code reply} as it is; of a result taken out, the offset where its
     *         content belongs, and the length in its length word. Ends before the first result that cannot be
     *         decoded
     */
    List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced);
}
