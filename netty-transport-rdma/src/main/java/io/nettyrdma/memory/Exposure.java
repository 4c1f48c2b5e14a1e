/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
