// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.nettyrdma.memory.RegisteredMemoryPool;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The traffic of a channel over its queue pair. It makes the receives, handles completed requests, and delivers
 * received data to the pipeline.
 *
 * <p>Threading: called by the loop only.
 */
public interface QueuePairOwner {

    /**
     * The receives of a queue pair that is being made. A channel has another queue pair only if the first could not
     * connect.
     *
     * @param postLater sees to it that {@link Receives#post} is called before the loop waits
     */
    Receives receives(ReceivePoster poster, RegisteredMemoryPool memory, Runnable postLater) throws IOException;

    /**
     * The oldest pending request is done.
     *
     * @param tag   the tag it was added with
     * @param cause of its failure, or {@code null} if it succeeded
     */
    void onSendCompleted(Object tag, @Nullable Throwable cause);

    /** The queue pair has failed. Called once, before {@link #onSendCompleted} of the failed request. */
    void onFailure(Throwable cause);

    /** The last of a batch of completions was handled. */
    void onBatchEnd();

    /** The connection is established; the channel is about to become active. */
    void onEstablished() throws Exception;

    /**
     * The connection is over, or could not be established.
     *
     * @param reason the provider's reason, or {@code null} if the provider saw an orderly end
     * @return the failure for the pipeline, or {@code null} if the channel saw an orderly end
     */
    @Nullable
    Throwable endOfConnection(@Nullable String reason);

    /**
     * Delivers received data as far as the pipeline reads, and closes the channel when all data of an ended connection
     * is delivered.
     */
    void deliver();

    /** Bytes that the program has handed over and the owner has not sent; posted ones may count. */
    default long unsentBytes() {
        return 0;
    }

    /** The connection is about to end. What is not posted yet is lost. */
    default void abort() {}

    /** The channel has closed; the queue pair is still there, if there is one. */
    void onClosed();

    /**
     * Explains a failure by the options of the channel.
     *
     * @param receive whether a receive has failed, and not a request
     * @param status  {@code IBV_WC_*}
     * @return an explanation for the user, or {@code null} if the options did not cause it
     */
    @Nullable
    String explain(boolean receive, int status);
}
