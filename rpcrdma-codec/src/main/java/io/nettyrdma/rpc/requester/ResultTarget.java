// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import org.jspecify.annotations.Nullable;

/**
 * Memory that the application has named for the first reducible result of a call.
 *
 * <p>Threading: the event loop's. Ownership: borrows the buffer.
 *
 * @param buffer one direct buffer
 * @param index  where the result begins in the buffer; {@link #WRITER_INDEX} if at its writer index, which then moves
 */
record ResultTarget(ByteBuf buffer, int index) {

    static final int WRITER_INDEX = -1;

    /** The target of a call, {@code null} if it has none. */
    static @Nullable ResultTarget of(RpcRdmaCall call) {
        ByteBuf buffer = call.replyTarget();
        return buffer == null ? null : new ResultTarget(buffer, call.replyTargetIndex());
    }

    /**
     * Checks that the result of a call can be written to its target: what neither the peer nor the connection decides.
     *
     * @param xid    for error messages
     * @param header of the call, {@code null} if it cannot be understood
     * @param bounds of its reply, as its binding knows them
     * @throws IllegalArgumentException if the target has no effect
     */
    static void requireEffect(
            int xid, RpcRdmaCall call, @Nullable RpcCallHeader header, ReplyBounds bounds, RequesterLimits limits) {
        if (call.replyTarget() == null) {
            return;
        }
        String reason;
        if (header == null) {
            reason = "its header cannot be decoded";
        } else if (header.protection() != RpcCallHeader.Protection.CLEAR) {
            reason = "RPCSEC_GSS protects it, so nothing of its reply may be reduced";
        } else if (bounds.reducibleBytes().isEmpty()) {
            reason = "RpcRdmaConfig.bindings has no reducible result for this call of " + header.name()
                    + "; declare one";
        } else if (limits.chunks().chunkBytes() == 0) {
            reason = "RpcRdmaConfig.maxChunkBytesPerCall is 0 (expected: the length of the result or more)";
        } else {
            return;
        }
        throw new IllegalArgumentException("RpcRdmaCall.replyInto has no effect on call 0x" + Integer.toHexString(xid)
                + ": " + reason + "; or make the call without replyInto");
    }

    private int start() {
        return index == WRITER_INDEX ? buffer.writerIndex() : index;
    }

    /** Octets that fit. */
    int roomBytes() {
        return Math.max(0, buffer.capacity() - start());
    }

    /** The memory of a write chunk of so many octets, with a reference of its own. */
    ByteBuf memory(int bytes) {
        return buffer.retainedSlice(start(), bytes);
    }

    void onResult(int bytes) {
        if (index == WRITER_INDEX) {
            buffer.writerIndex(buffer.writerIndex() + bytes);
        }
    }
}
