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
package io.nettyrdma.verbs.soft.rdmap;

/**
 * Receive queue: the posted receives.
 *
 * <p>Threading: confined to one thread.
 */
public final class ReceiveRing extends RequestRing {

    /**
     * An empty queue.
     *
     * @param depth  most receives, 1 or more
     * @param maxSge most scatter-gather entries of a receive, 1 or more
     */
    public ReceiveRing(int depth, int maxSge) {
        super(depth, maxSge);
    }

    /** Appends a receive whose scatter-gather entries follow by {@link #addSge}; it counts after {@link #commit}. */
    public void beginReceive(long wrId) {
        begin(wrId);
    }
}
