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
package io.nettyrdma.verbs.soft;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The reactor of a provider, which its first event channel starts and its last one ends.
 *
 * <p>Threading: any thread.
 */
final class Reactors {

    private final SoftContexts contexts;
    private @Nullable Reactor reactor;

    Reactors(SoftContexts contexts) {
        this.contexts = contexts;
    }

    /** A new event channel of the reactor, which is started if need be. */
    synchronized ReactorEventChannel openEventChannel() throws IOException {
        Reactor r = reactor;
        if (r == null || r.isEnded()) {
            r = new Reactor(contexts.shared());
            reactor = r;
        }
        ReactorEventChannel channel = new ReactorEventChannel(this, r);
        r.users().add(channel);
        return channel;
    }

    /** An event channel is no more; the last one ends the reactor. */
    void release(Reactor r, ReactorEventChannel channel) {
        synchronized (this) {
            r.users().remove(channel);
            if (!r.users().isEmpty()) {
                return;
            }
            if (reactor == r) {
                reactor = null;
            }
        }
        // Without the lock: octets under way may take some time, and others may start anew.
        r.end();
    }
}
