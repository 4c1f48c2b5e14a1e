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
package io.nettyrdma.rpc.session;

import io.netty.util.concurrent.FastThreadLocal;

/**
 * Bounds the bytes of whole calls of version 2 that all connections of an event loop keep waiting: for room for their
 * replies, or for the exchange of properties. They count for the same limit as {@link LoopMemory}, but apart from it.
 * If calls took room from replies, they could wait for each other; and a connection that only waits for others must not
 * be closed in their favour.
 *
 * <p>Threading: one sum for each event loop; an instance is confined to one.
 */
public final class WaitingCallMemory {

    private static final class Sum {
        private static final FastThreadLocal<Sum> OF_THIS_THREAD = new FastThreadLocal<>() {
            @Override
            protected Sum initialValue() {
                return new Sum();
            }
        };

        private long bytes;
    }

    private final long loopLimitBytes;
    private long bytes;

    /**
     * Opens the account of one connection, on any thread.
     *
     * @param loopLimitBytes of all connections
     */
    public WaitingCallMemory(long loopLimitBytes) {
        this.loopLimitBytes = loopLimitBytes;
    }

    /** Returns the bytes of this connection. */
    public long bytes() {
        return bytes;
    }

    /** Takes the bytes of a call; returns false, and takes nothing, if the event loop has no room. */
    public boolean take(int more) {
        Sum loop = Sum.OF_THIS_THREAD.get();
        if (more > loopLimitBytes - loop.bytes) {
            return false;
        }
        bytes += more;
        loop.bytes += more;
        return true;
    }

    /** Gives the bytes of a call back. */
    public void give(int less) {
        bytes -= less;
        Sum.OF_THIS_THREAD.get().bytes -= less;
    }
}
