// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import io.netty.util.ReferenceCountUtil;
import java.util.function.BiConsumer;

/**
 * What is written to a channel with flow control before the channel is active. It counts for {@code isWritable()}, and
 * is written again when both sides have agreed.
 *
 * <p>Threading: the loop's. Ownership: of what waits.
 */
final class EarlyWrites {

    private final PendingWriteQueue waiting;
    private int added;
    private int written;
    /** So many of those added were flushed. */
    private int flushed;

    EarlyWrites(ChannelHandlerContext context) {
        waiting = new PendingWriteQueue(context);
    }

    void add(Object message, ChannelPromise promise) {
        added++;
        waiting.add(message, promise);
    }

    void flush() {
        flushed = added;
    }

    /** Writes everything in order, also what handlers add meanwhile, and flushes as far as it was flushed. */
    void writeTo(BiConsumer<Object, ChannelPromise> write, Runnable flush) {
        Object message;
        while ((message = waiting.current()) != null) {
            ReferenceCountUtil.retain(message);
            write.accept(message, waiting.remove()); // which may make the channel writable, and handlers flush
            written++;
            if (written == flushed) {
                flush.run();
            }
        }
    }

    /** Fails what waits; nothing may be added from then on. */
    void fail(Throwable cause) {
        ChannelPromise promise;
        while ((promise = waiting.remove()) != null) {
            promise.tryFailure(cause);
        }
    }
}
