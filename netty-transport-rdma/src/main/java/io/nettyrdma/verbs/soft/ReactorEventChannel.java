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

import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Event channel of a program without an event loop: a queue of events, whose ids the {@link Reactor} drives.
 *
 * <p>Threading: any thread. Ownership: one use of the reactor, which ends with its last event channel.
 */
final class ReactorEventChannel extends RdmaEventChannel {

    private final SoftDevice device;
    private final Reactors reactors;
    private final Reactor reactor;
    private final ReactorCmEvents events = new ReactorCmEvents();
    private final AtomicBoolean destroyed = new AtomicBoolean();

    ReactorEventChannel(Reactors reactors, Reactor reactor) throws IOException {
        super(-1);
        device = reactor.events().device();
        this.reactors = reactors;
        this.reactor = reactor;
        device.eventChannels.incrementAndGet();
    }

    Reactor reactor() {
        return reactor;
    }

    ReactorCmEvents events() {
        return events;
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
                for (RdmaCmId id : events.ids()) {
                    ((SoftCmId) id).shutdown();
                }
                return 0;
            });
        } finally {
            device.eventChannels.decrementAndGet();
            reactors.release(reactor, this);
        }
    }
}
