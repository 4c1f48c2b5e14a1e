// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.nettyrdma.engine.AbstractRdmaChannel.ConnectionUnsafe;
import io.nettyrdma.error.RdmaWorkRequestException;
import org.jspecify.annotations.Nullable;

/**
 * The traffic of one channel of any kind between its pipeline and its queue pair.
 *
 * <p>Threading: the loop's.
 */
public abstract class Exchange implements QueuePairOwner {

    protected final Channel channel;
    protected final ChannelLifecycle lifecycle;
    protected final VerbsConnection connection;
    protected final OrderlyClose orderlyClose;
    private final ConnectionUnsafe unsafe;

    protected Exchange(AbstractRdmaChannel channel) {
        this.channel = channel;
        unsafe = channel.connectionUnsafe();
        lifecycle = channel.lifecycle;
        connection = channel.connection;
        orderlyClose = channel.orderlyClose;
    }

    /**
     * Posts flushed messages as far as they fit; called after each flush. After a refused post nothing would ever
     * complete: what is flushed fails when the channel closes.
     */
    public void write(ChannelOutboundBuffer in) throws Exception {
        QueuePair pair = connection.queuePair();
        if (pair != null && pair.mayPost()) {
            try {
                write(in, pair);
            } catch (Throwable e) {
                if (pair.mayPost()) {
                    throw e;
                }
                orderlyClose.failNow(e); // Netty would close the channel without telling the pipeline why
            }
        }
    }

    /** As {@link #write(ChannelOutboundBuffer)}, to a queue pair that has refused nothing yet. */
    protected abstract void write(ChannelOutboundBuffer in, QueuePair pair) throws Exception;

    /** Goes on with flushed writes. */
    protected final void flushAgain() {
        unsafe.flushAgain();
    }

    /** What is written and not done; none behind the close. */
    protected final @Nullable ChannelOutboundBuffer outboundBuffer() {
        return unsafe.outboundBuffer();
    }

    /** The loop ends: a close that waits does so no longer. */
    protected void closeAtOnce() {}

    /** Cancels a pending read request. */
    protected abstract void clearRead();

    @Override
    public void onSendCompleted(Object tag, @Nullable Throwable cause) {
        if (cause instanceof RdmaWorkRequestException failed && failed.isFlushed()) {
            lifecycle.onFlushed();
        }
    }

    @Override
    public final void onFailure(Throwable cause) {
        lifecycle.onFailure(cause);
    }

    @Override
    public void onBatchEnd() {
        if (!lifecycle.mayPost()) { // nothing ends otherwise
            orderlyClose.closeIfFlushed();
            orderlyClose.closeIfFailing();
        }
    }
}
