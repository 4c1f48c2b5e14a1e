// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Identifier of a connection or listener: addresses, queue pair, and the socket behind it.
 *
 * <p>Threading: confined to the thread of its event channel. Ownership: the application destroys it; its socket may
 * outlive it for the time it takes to close gracefully.
 */
final class SoftCmId extends RdmaCmId {

    private final SoftDevice device;
    /** Where its sockets are driven. */
    private SoftEventChannel events;

    private @Nullable InetSocketAddress source;
    private @Nullable InetSocketAddress destination;
    private @Nullable SoftQp qp;
    private @Nullable SoftListener listener;
    private @Nullable TcpConnection connection;
    private @Nullable SocketOptions socketOptions;
    private @Nullable String reason;

    /**
     * An id that is neither bound nor connected.
     *
     * @param events drives its sockets, and gets its events
     */
    SoftCmId(SoftEventChannel events, int portSpace) throws IOException {
        super(events, events.context());
        this.device = events.device();
        this.events = events;
        ps = portSpace;
        port_num = 1;
        device.ids.incrementAndGet();
    }

    /** The id of a connection that this one, a listener, was asked for. */
    SoftCmId child() throws IOException {
        return new SoftCmId(events, ps);
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
    TcpConnection connection() {
        return connection;
    }

    void connection(@Nullable TcpConnection value) {
        connection = value;
    }

    /** Sets an option of the connection's socket, or keeps it for one that is to be made. */
    <T> void setSocketOption(SocketOption<T> option, T value) {
        if (connection != null) {
            SocketOptions.set(connection.tcp().channel(), option, value);
            return;
        }
        if (socketOptions == null) {
            socketOptions = new SocketOptions();
        }
        socketOptions.keep(option, value);
    }

    /** Sets what is kept for a socket that is neither bound nor connected yet. */
    void applySocketOptions(NetworkChannel socket) {
        if (socketOptions != null) {
            socketOptions.applyTo(socket);
        }
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
            events.cmEvents().post(type, status, null, this, parameters);
        }
    }

    /** Queues the request of a peer, which {@code child} stands for. */
    void requestEvent(SoftCmId child, RdmaConnParam parameters) {
        events.cmEvents().post(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, 0, this, child, parameters);
    }

    /** Requests to this listener that were not yet fetched. */
    List<RdmaCmId> requests() {
        return events.cmEvents().requests(this);
    }

    /** Ends the use of this id: no event mentions it any more. */
    void endUse() {
        close();
        device.ids.decrementAndGet();
    }

    /** The event channel goes away while this id is still there; its sockets go too. */
    void shutdown() {
        if (listener != null) {
            listener.shutdown();
        }
        if (connection != null) {
            connection.shutdown();
        }
    }
}
