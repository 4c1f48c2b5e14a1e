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

import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Event channel of a program without an event loop: a queue of events, whose ids the {@link Reactor} drives.
 *
 * <p>Threading: any thread; the set of ids is the reactor's. Ownership: one use of the reactor, which ends with its
 * last event channel.
 */
final class ReactorEventChannel extends RdmaEventChannel {

    private final SoftDevice device;
    private final Reactor reactor;
    private final ReactorCmEvents events = new ReactorCmEvents();
    private final Set<SoftCmId> ids = new HashSet<>();
    private final AtomicBoolean destroyed = new AtomicBoolean();

    ReactorEventChannel(SoftDevice device, Reactor reactor) throws IOException {
        super(-1);
        this.device = device;
        this.reactor = reactor;
        device.eventChannels.incrementAndGet();
    }

    SoftDevice device() {
        return device;
    }

    Reactor reactor() {
        return reactor;
    }

    ReactorCmEvents events() {
        return events;
    }

    void add(SoftCmId id) {
        ids.add(id);
    }

    void remove(SoftCmId id) {
        ids.remove(id);
    }

    /** Ends the waits, closes the sockets of ids that the program forgot, and maybe the reactor. Idempotent. */
    void destroy() throws IOException {
        if (!destroyed.compareAndSet(false, true)) {
            return;
        }
        close();
        events.close();
        try {
            reactor.call(() -> {
                for (SoftCmId id : new ArrayList<>(ids)) {
                    id.shutdown();
                }
                return 0;
            });
        } finally {
            device.eventChannels.decrementAndGet();
            device.releaseReactor(reactor, this);
        }
    }
}
