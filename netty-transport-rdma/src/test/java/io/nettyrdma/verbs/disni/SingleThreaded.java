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
