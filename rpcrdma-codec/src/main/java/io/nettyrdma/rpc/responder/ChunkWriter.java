// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.rpc.engine.ReplyPlan;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.session.MessageLink;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes replies into the chunks of their calls by RDMA Write, and then the Sends that tell of them, in the order of
 * the replies. Writes are handed to the channel a {@linkplain TransferWindow window} at a time.
 *
 * <p>A Write that fails ends the connection, by the rules of RDMA.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: owns replies and Sends from {@link #write} until
 * they are handed to the channel.
 */
final class ChunkWriter {

    /** A range of more components than this is copied: each Write costs a work request. */
    private static final int MAX_WRITES_PER_RANGE = 16;

    /** A reply whose Send has not been written. */
    private record Waiting(
            int xid, ByteBuf reply, Iterator<ReplyPlan.Push> pushes, Object send, ChannelPromise promise) {

        void drop(MessageLink link) {
            reply.release();
            link.framing().discard(send);
            promise.tryFailure(new ConnectionLostException(xid, null));
        }
    }

    private final MessageLink link;
    private final TransferWindow window;
    private final ReadGate gate;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /**
     * @param maxPushingWrites Writes handed to the channel and not complete
     * @param gate             held while replies wait, as their calls are no longer in progress
     */
    ChunkWriter(MessageLink link, int maxPushingWrites, ReadGate gate) {
        this.link = link;
        window = new TransferWindow(maxPushingWrites, this::writeNext);
        this.gate = gate;
    }

    /**
     * Writes a reply, now or when others are done. Flushing it is the caller's.
     *
     * @param reply the octets that {@code pushes} are taken from
     * @param send  a message that tells of them, for the promise
     */
    void write(
            ChannelHandlerContext ctx,
            int xid,
            ByteBuf reply,
            List<ReplyPlan.Push> pushes,
            Object send,
            ChannelPromise promise) {
        waiting.add(new Waiting(xid, reply, pushes.iterator(), send, promise));
        fill(ctx);
    }

    /** Fills the window; returns whether there is something to flush. */
    private boolean fill(ChannelHandlerContext ctx) {
        boolean any = window.fill(ctx);
        gate.hold(!waiting.isEmpty());
        return any;
    }

    private boolean writeNext(ChannelHandlerContext ctx) {
        @Nullable Waiting next = waiting.peek();
        if (next == null) {
            return false;
        }
        if (next.pushes.hasNext()) {
            push(ctx, next.reply, next.pushes.next()); // V1-006
        } else {
            waiting.remove();
            next.reply.release();
            link.write(ctx, next.send, next.promise);
        }
        return true;
    }

    private void push(ChannelHandlerContext ctx, ByteBuf reply, ReplyPlan.Push push) {
        int start = reply.readerIndex() + push.replyOffset();
        int end = start + push.lengthBytes();
        long offset = push.offset();
        if (!(reply instanceof CompositeByteBuf composite)
                || composite.toComponentIndex(end - 1) - composite.toComponentIndex(start) >= MAX_WRITES_PER_RANGE) {
            write(ctx, reply.retainedSlice(start, push.lengthBytes()), push.handle(), offset);
            return;
        }
        reply.retain(); // a Write that fails at once can end the connection, and with it all that waits
        try {
            // One by one, because only single buffers are written without a copy.
            for (int from = start, to; from < end; from = to) {
                int index = composite.toComponentIndex(from);
                int first = composite.toByteIndex(index);
                ByteBuf component = composite.componentSlice(index);
                to = Math.min(end, first + component.readableBytes());
                write(ctx, component.retainedSlice(from - first, to - from), push.handle(), offset);
                offset += to - from;
            }
        } finally {
            reply.release();
        }
    }

    private void write(ChannelHandlerContext ctx, ByteBuf octets, int handle, long offset) {
        RemoteSegment target = new RemoteSegment(handle, offset, octets.readableBytes()); // V1-103
        window.onBegun();
        link.transfers(ctx).write(new RdmaWrite(octets, target)).addListener(future -> {
            window.onEnded();
            if (!future.isSuccess()) {
                FailedTransfer.close(ctx, future.cause());
            } else if (window.isHalfEmpty() && fill(ctx)) {
                ctx.flush();
                gate.resume(ctx);
            }
        });
    }

    int waiting() {
        return waiting.size();
    }

    /** Drops the replies that wait. */
    void onConnectionLost() {
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            next.drop(link);
        }
    }
}
