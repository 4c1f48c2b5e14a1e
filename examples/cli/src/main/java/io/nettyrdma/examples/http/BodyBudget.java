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
package io.nettyrdma.examples.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of request bodies that a server holds for all its connections.
 *
 * <p>Threading: any thread.
 */
final class BodyBudget {

    private final AtomicLong left;

    BodyBudget(long bytes) {
        left = new AtomicLong(bytes);
    }

    /** Takes bytes; returns false, and takes none, if fewer are left. */
    boolean tryTake(long bytes) {
        if (left.addAndGet(-bytes) >= 0) {
            return true;
        }
        left.addAndGet(bytes);
        return false;
    }

    void giveBack(long bytes) {
        left.addAndGet(bytes);
    }

    long left() {
        return left.get();
    }
}
