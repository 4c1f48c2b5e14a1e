// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Puts a reply together from where the responder has put its parts: the payload stream inline or in the reply chunk,
 * results in write chunks (RFC 8166, sections 3.4.6 and 3.5). No octet of a result is copied.
 *
 * <p>Threading: stateless; the call's memory must be fenced.
 */
final class ReplyAssembly {

    private static final ByteBuf PADDING =
            Unpooled.unreleasableBuffer(Unpooled.directBuffer(3, 3).writeZero(3).asReadOnly());

    private ReplyAssembly() {}

    /**
     * The whole reply.
     *
     * @param returned chunks that have been found to be those of the call
     * @param inline   payload stream of an {@code RDMA_MSG}, {@code null} for an {@code RDMA_NOMSG}; taken over,
     *                 whatever happens
     * @param padded   whether a write chunk may also contain the padding of its result
     * @throws MalformedRpcMessageException if the reply breaks the rules in a way that ends the call
     */
    static ByteBuf assemble(
            ByteBufAllocator alloc, PendingCall call, ChunkLists returned, @Nullable ByteBuf inline, boolean padded)
            throws MalformedRpcMessageException {
        if (inline != null && call.offered().writeList().isEmpty()) {
            return inline;
        }
        ByteBuf stream = // V2-130
                inline != null ? inline : streamInReplyChunk(call, Objects.requireNonNull(returned.replyChunk()));
        try {
            return insertResults(alloc, call, returned.writeList(), stream, padded);
        } finally {
            stream.release();
        }
    }

    private static ByteBuf streamInReplyChunk(PendingCall call, WriteChunk replyChunk)
            throws MalformedRpcMessageException {
        int bytes = (int) replyChunk.lengthBytes(); // at most what was offered
        ByteBuf stream = call.chunks().reply(bytes);
        if (!RpcHeaders.isWhole(stream, RpcHeaders.REPLY) || RpcHeaders.xid(stream) != call.xid()) {
            stream.release();
            throw new MalformedRpcMessageException(call.xid(), "no RPC reply in the reply chunk, " + bytes + " bytes");
        }
        return stream;
    }

    private static ByteBuf insertResults(
            ByteBufAllocator alloc, PendingCall call, List<WriteChunk> writeList, ByteBuf stream, boolean padded)
            throws MalformedRpcMessageException {
        int offered = call.offered().writeList().size();
        if (offered == 0) {
            return stream.retain();
        }
        BitSet reduced = new BitSet();
        for (int i = 0; i < offered && i < writeList.size(); i++) {
            reduced.set(i, writeList.get(i).lengthBytes() != 0);
        }
        List<XdrItem> results = call.planned().reducibleResults(stream, reduced);
        for (int i = 0; i < offered; i++) {
            @Nullable XdrItem result = i < results.size() ? results.get(i) : null;
            check(call, i, result, reduced.get(i) ? writeList.get(i) : null, padded);
        }
        return reduced.isEmpty() ? stream.retain() : insert(alloc, call, stream, results, reduced);
    }

    /** What can be reduced has to be, into a chunk that was provided for it, and nothing else. */
    private static void check(
            PendingCall call, int chunk, @Nullable XdrItem result, @Nullable WriteChunk used, boolean padded)
            throws MalformedRpcMessageException {
        if (used == null) {
            if (result != null && result.lengthBytes() != 0) {
                throw new MalformedRpcMessageException( // V1-135, V2-166
                        call.xid(), "result is inline although write chunk " + chunk + " was provided for it");
            }
            return;
        }
        long written = used.lengthBytes();
        int bytes = result == null ? -1 : result.lengthBytes();
        boolean whole = written == bytes
                || padded // V2-054 (C58)
                        && bytes >= 0
                        && written == XdrLengths.padded((long) bytes); // BIS-005
        if (!whole) { // V1-134, V2-166
            throw new MalformedRpcMessageException(
                    call.xid(),
                    "reply has " + written + " bytes in write chunk " + chunk + ", "
                            + (bytes < 0 ? "which belongs to no result" : "but a result of " + bytes));
        }
    }

    private static ByteBuf insert(
            ByteBufAllocator alloc, PendingCall call, ByteBuf stream, List<XdrItem> results, BitSet reduced) {
        CompositeByteBuf reply = alloc.compositeDirectBuffer(2 + 3 * reduced.cardinality());
        int start = stream.readerIndex();
        int done = 0;
        for (int i = reduced.nextSetBit(0); i >= 0; i = reduced.nextSetBit(i + 1)) {
            XdrItem result = results.get(i);
            if (result.offset() > done) {
                reply.addComponent(true, stream.retainedSlice(start + done, result.offset() - done));
            }
            reply.addComponent(true, call.chunks().result(i, result.lengthBytes())); // V1-054
            int padding = -result.lengthBytes() & 3;
            if (padding != 0) {
                reply.addComponent(true, PADDING.slice(0, padding)); // V1-003
            }
            done = result.offset();
        }
        if (stream.readableBytes() > done) {
            reply.addComponent(true, stream.retainedSlice(start + done, stream.readableBytes() - done));
        }
        ResultTarget target = call.planned().target();
        if (target != null && reduced.get(0)) {
            target.onResult(results.get(0).lengthBytes());
        }
        return reply;
    }
}
