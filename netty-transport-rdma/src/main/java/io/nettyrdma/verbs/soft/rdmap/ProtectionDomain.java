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

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory regions and work queues that may meet. It has no content but the number of those that are in it.
 *
 * <p>Threading: any thread.
 */
public final class ProtectionDomain {

    private final AtomicInteger members = new AtomicInteger();

    /** A region or a queue pair of this domain was made. */
    public void enter() {
        members.incrementAndGet();
    }

    /** A region or a queue pair of this domain is no more. */
    public void leave() {
        members.decrementAndGet();
    }

    /** Regions and queue pairs. */
    public int members() {
        return members.get();
    }
}
