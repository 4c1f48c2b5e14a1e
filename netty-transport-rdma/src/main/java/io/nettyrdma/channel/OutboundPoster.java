// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.nettyrdma.engine.QueuePair;
import io.nettyrdma.engine.SendQueue;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Posts flushed messages and completes them in order. Messages stay in Netty's outbound buffer until their completion;
 * {@link #posted} of them at its head are with the queue pair. Empty buffers are barriers: they are never posted and
 * complete when no posted message precedes them. Writes cancelled before the flush are treated alike.
 *
 * <p>Threading: the loop's. Ownership: nothing; entries belong to the outbound buffer, requests to the send queue.
 */
final class OutboundPoster implements ChannelOutboundBuffer.MessageProcessor {

    /** Where {@link #write} posts. */
    private @Nullable QueuePair posting;

    private int posted;
    private int skip;
    private boolean failed;

    /** Posts what fits into the send queue of {@code pair}, as one batch or a few. */
    void write(QueuePair pair, ChannelOutboundBuffer in) throws Exception {
        posting = pair;
        pair.postReceives(); // before the Sends that may grant them
        do {
            postFlushed(pair, in);
            // Again, as listeners of barriers may have written and flushed, which Netty does not nest.
        } while (removeBarriers(in) && in.size() > posted && pair.mayPost());
    }

    private void postFlushed(QueuePair pair, ChannelOutboundBuffer in) throws Exception {
        while (in.size() > posted && !pair.sends().isFull()) {
            int before = posted;
            WorkRequestBatch batch = pair.batch();
            skip = posted;
            pair.addBindings(); // before the Sends that may tell of them
            try {
                in.forEachFlushedMessage(this);
            } finally {
                pair.sends().post(batch); // also what stands before a message that could not be added
            }
            if (posted == before) {
                break; // only barriers are left
            }
        }
    }

    @Override
    public boolean processMessage(Object message) throws IOException {
        if (isBarrier(message)) {
            return true;
        }
        if (skip > 0) {
            skip--;
            return true;
        }
        QueuePair pair = posting;
        assert pair != null;
        SendQueue sends = pair.sends();
        WorkRequestBatch batch = pair.openBatch();
        if (sends.isFull() || batch.isFull()) {
            return false;
        }
        try {
            OutboundMessages.add(message, sends, batch);
        } catch (Throwable e) {
            failed = true;
            throw e;
        }
        posted++;
        return true;
    }

    /** Whether a message could not be posted; nothing behind it is posted either. */
    boolean hasFailed() {
        return failed;
    }

    /** Whether flushed messages wait for room in the send queue. */
    boolean hasUnposted(ChannelOutboundBuffer in) {
        return in.size() > posted;
    }

    /** The oldest posted message has completed. */
    void onCompletion(@Nullable ChannelOutboundBuffer in, Object message, @Nullable Throwable cause) {
        // Barriers before it. It still counts as posted, because their listeners may write, flush and close.
        Object current = null;
        while (in != null && (current = in.current()) != null && current != message) {
            in.remove();
        }
        posted--;
        if (in == null || current == null) {
            return; // closed: Netty has failed the promise already
        }
        if (cause == null) {
            in.remove();
        } else {
            in.remove(cause);
        }
    }

    private static boolean isBarrier(Object message) {
        return message instanceof ByteBuf buffer && !buffer.isReadable();
    }

    /** Completes barriers that no posted message precedes, and returns whether there were any. */
    boolean removeBarriers(ChannelOutboundBuffer in) {
        boolean removed = false;
        Object message;
        while ((message = in.current()) != null && isBarrier(message)) {
            in.remove();
            removed = true;
        }
        return removed;
    }
}
