// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import java.io.IOException;

/**
 * A memory window of type 2: a key for a part of registered memory, which a work request binds on one queue pair and
 * which a Send with Invalidate of the peer ends (InfiniBand Architecture, volume 1, section 10.6.6.2).
 *
 * <p>Threading: that of the queue pair it is bound on.
 */
public interface MemoryWindow {

    /**
     * Returns the key for the next request to bind the window, which then counts as bound with it. It differs from
     * the previous key: a peer with that key does not reach the newly bound memory.
     */
    int nextKey();

    /** Ends the window, bound or not: no peer reaches memory by it any more. Idempotent. */
    void free() throws IOException;
}
