// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import java.io.IOException;

/**
 * Takes completions off one queue.
 *
 * <p>Threading: one thread at a time.
 */
public interface CompletionPoller {

    /** The most completions that one call passes on. */
    int BATCH = 64;

    /**
     * Passes the oldest completions to a handler, which may post.
     *
     * @return the number of completions; {@link #BATCH} if there may be more
     * @throws IOException if the queue does not work any more
     */
    int poll(CompletionHandler handler) throws IOException;

    /** Frees what polling needs, before the queue is destroyed. */
    default void free() {}
}
