// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request: kept if the response needs it, otherwise dropped, and limited in both cases. It copies the
 * bytes into blocks, because each small piece would keep the whole buffer in which it was received.
 *
 * <p>Threading: confined to an event loop. Ownership: of the kept bytes until they are taken, and of their share of the
 * budget until it is released.
 */
final class RequestBody {

    private static final int BLOCK_BYTES = 64 * 1024;

    private final boolean kept;
    private final int maxBytes;
    private final BodyBudget budget;
    private long length;
    private long taken;
    private final List<ByteBuf> blocks = new ArrayList<>();

    RequestBody(boolean kept, int maxBytes, BodyBudget budget) {
        this.kept = kept;
        this.maxBytes = maxBytes;
        this.budget = budget;
    }

    /** Adds a piece. Returns the status to refuse the request with if that exceeds a limit, otherwise null. */
    @Nullable
    HttpResponseStatus add(ByteBuf piece, ByteBufAllocator allocator) {
        int count = piece.readableBytes();
        length += count;
        if (length > maxBytes) {
            return HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE;
        }
        if (kept && count > 0) {
            if (!budget.tryTake(count)) {
                return HttpResponseStatus.SERVICE_UNAVAILABLE;
            }
            taken += count;
            append(piece, allocator);
        }
        return null;
    }

    private void append(ByteBuf piece, ByteBufAllocator allocator) {
        while (piece.isReadable()) {
            @Nullable ByteBuf block = blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
            if (block == null || block.maxWritableBytes() == 0) {
                block = allocator.buffer(Math.min(piece.readableBytes(), BLOCK_BYTES), BLOCK_BYTES);
                blocks.add(block);
            }
            block.writeBytes(piece, Math.min(piece.readableBytes(), block.maxWritableBytes()));
        }
    }

    /** Hands the kept bytes over; the budget counts them until {@link #release}. */
    ByteBuf take() {
        ByteBuf all = Unpooled.wrappedBuffer(Math.max(1, blocks.size()), blocks.toArray(ByteBuf[]::new));
        blocks.clear();
        return all;
    }

    /** Frees what was not taken, and gives the budget back. */
    void release() {
        blocks.forEach(ByteBuf::release);
        blocks.clear();
        budget.giveBack(taken);
        taken = 0;
    }
}
