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

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Identifier of a connection or listener: addresses, queue pair, and the socket behind it.
 *
 * <p>Threading: confined to the thread of its event channel. Ownership: the application destroys it; its socket may
 * outlive it for the time it takes to close gracefully.
 */
final class SoftCmId extends RdmaCmId {

    private final SoftDevice device;
    private SoftEventChannel events;
    private @Nullable InetSocketAddress source;
    private @Nullable InetSocketAddress destination;
    private @Nullable SoftQp qp;
    private @Nullable SoftListener listener;
    private @Nullable SoftConnection connection;
    private @Nullable String reason;

    SoftCmId(SoftEventChannel events, int portSpace) throws IOException {
        super(events, events.device().context());
        this.device = events.device();
        this.events = events;
        ps = portSpace;
        port_num = 1;
        device.ids.incrementAndGet();
    }

    SoftDevice device() {
        return device;
    }

    SoftEventChannel events() {
        return events;
    }

    void moveTo(SoftEventChannel target) {
        events = target;
        cmChannel = target;
    }

    @Nullable
    InetSocketAddress source() {
        return source;
    }

    void source(@Nullable InetSocketAddress address) {
        source = address;
    }

    @Nullable
    InetSocketAddress destination() {
        return destination;
    }

    void destination(@Nullable InetSocketAddress address) {
        destination = address;
    }

    @Nullable
    SoftQp queuePair() {
        return qp;
    }

    void queuePair(@Nullable SoftQp value) {
        qp = value;
        setQp(value);
    }

    @Nullable
    SoftListener listener() {
        return listener;
    }

    void listener(@Nullable SoftListener value) {
        listener = value;
    }

    @Nullable
    SoftConnection connection() {
        return connection;
    }

    void connection(@Nullable SoftConnection value) {
        connection = value;
    }

    /** Why the connection ended; the first reason counts. */
    @Nullable
    String reason() {
        return reason;
    }

    void reason(String text) {
        if (reason == null) {
            reason = text;
        }
    }

    /** Queues an event about this id. */
    void event(EventType type, int status, @Nullable RdmaConnParam parameters) {
        if (isOpen()) {
            events.post(type, status, null, this, parameters);
        }
    }

    /** Ends the use of this id: no event mentions it any more. */
    void destroyed() {
        close();
        device.ids.decrementAndGet();
        events.forget(this);
    }
}
