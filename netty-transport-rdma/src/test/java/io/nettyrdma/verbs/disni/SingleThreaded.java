// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import java.util.concurrent.atomic.AtomicReference;

/** Something that two threads must not be in at the same time; the second to come fails. */
final class SingleThreaded {

    private final String name;
    private final AtomicReference<Thread> inside = new AtomicReference<>();

    SingleThreaded(String name) {
        this.name = name;
    }

    void enter() {
        Thread other = inside.compareAndExchange(null, Thread.currentThread());
        if (other != null) {
            throw new IllegalStateException(name + " is in use by " + other);
        }
    }

    void leave() {
        inside.set(null);
    }
}
