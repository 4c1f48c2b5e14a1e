// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import java.io.IOException;

/**
 * A key by which a peer reaches registered memory, other than the registration's own: a memory window, for example.
 *
 * <p>Threading: the loop's. Ownership: the slab's that is exposed by it, which ends it before its registration.
 */
public interface Exposure {

    /** The key that the peer is shown. */
    int key();

    /**
     * Ends the exposure. The peer does not reach the memory any more once this has returned. Idempotent.
     *
     * @throws IOException if the device refuses; the memory has to be considered exposed, and a later call tries again
     */
    void end() throws IOException;
}
