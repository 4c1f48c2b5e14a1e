// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RequesterEngine} wants done. For each call that was submitted and not withdrawn exactly one of
 * {@link #onCompleted} and {@link #onFailed} is invoked. Implementations may submit calls from within.
 *
 * <p>Called back, and not handed back as results like those of the {@link ResponderEngine}: one event at a requester
 * has any number of outcomes, a reply that completes its call and lets others be sent, so that results would cost each
 * message an object, or a list. And where a call ends before the next is sent, as here, the memory of the first can
 * serve the second.
 */
public interface RequesterActions<C extends RequesterCall> {

    /**
     * Send this call now. If it turns out that it cannot be sent, the implementation says so with
     * {@link RequesterEngine#onSendFailed} or {@link RequesterEngine#withdraw}, at once or later.
     *
     * @param creditsRequested for the header
     */
    void send(C call, int creditsRequested);

    /**
     * The call was answered.
     *
     * @param returned the chunks that the call offered, with the lengths that were written
     * @param inline   the payload stream of an {@code RDMA_MSG}, {@code null} for an {@code RDMA_NOMSG}; owned by the
     *                 receiver from now on
     */
    void onCompleted(C call, ChunkLists returned, @Nullable ByteBuf inline);

    /** The call has failed, whether it had been sent or not. */
    void onFailed(C call, Exception cause);

    /** Returns which messages of the connection were rejected, for errors; empty if none was. */
    default String rejected() {
        return "";
    }

    /** Close the connection; {@link RequesterEngine#onConnectionLost} is to follow. */
    void close(String reason);
}
