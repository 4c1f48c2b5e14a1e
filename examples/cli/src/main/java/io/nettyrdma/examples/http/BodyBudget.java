// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
