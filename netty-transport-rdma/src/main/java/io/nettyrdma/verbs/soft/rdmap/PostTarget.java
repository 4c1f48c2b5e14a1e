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

import java.io.IOException;

/** Where work requests are posted to, field by field: a queue pair, or what stands in front of it. */
public interface PostTarget {

    /** A list of work requests that can be posted. */
    interface Posting {

        /**
         * Posts the requests one after the other.
         *
         * @throws IOException what {@code target} refuses one with; those before it are posted
         */
        void to(PostTarget target) throws IOException;
    }

    /** Makes room for a send request and checks it; scatter-gather entries and {@link #commitSend} follow. */
    void beginSend(long wrId, int opcode, int flags, int sgeCount, int remoteKey, long remoteAddress)
            throws IOException;

    /** Adds a scatter-gather entry to the send request that was begun. */
    void addSendSge(long address, int lengthBytes, int key) throws IOException;

    /**
     * Posts the send request that was begun.
     *
     * @throws IOException if it is too long for a message
     */
    void commitSend() throws IOException;

    /** Makes room for a receive and checks it; scatter-gather entries and {@link #commitReceive} follow. */
    void beginReceive(long wrId, int sgeCount) throws IOException;

    /** Adds a scatter-gather entry to the receive that was begun. */
    void addReceiveSge(long address, int lengthBytes, int key) throws IOException;

    /** Posts the receive that was begun. */
    void commitReceive();
}
