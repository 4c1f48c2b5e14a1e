// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.verbs.face.FaceVerbs;
import io.nettyrdma.verbs.soft.iwarp.MpaInitiator;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.RequestGoneException;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's connection manager over TCP sockets.
 *
 * <p>Threading: as the event channel of the object that is passed.
 */
final class SoftCm extends RdmaCm {

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        throw FaceVerbs.eventLoopsOnly("soft");
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) throws IOException {
        SoftVerbs.cast(SoftEventChannel.class, channel).destroy();
        return 0;
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
        if (portSpace != RDMA_PS_TCP) {
            throw new IOException("port space " + portSpace + " is not supported, only RDMA_PS_TCP");
        }
        SoftEventChannel events = SoftVerbs.cast(SoftEventChannel.class, channel);
        if (!events.isOpen()) {
            throw new IOException("event channel is destroyed");
        }
        return new SoftCmId(events, portSpace);
    }

    private static SoftCmId open(RdmaCmId id) throws IOException {
        SoftCmId known = SoftVerbs.cast(SoftCmId.class, id);
        if (!known.isOpen()) {
            throw new IOException("id is destroyed");
        }
        return known;
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        return createQP(open(id), pd, attributes);
    }

    private static SoftQp createQP(SoftCmId id, IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        if (id.queuePair() != null) {
            throw new IOException("id has a queue pair already");
        }
        SoftPd domain = SoftVerbs.cast(SoftPd.class, pd);
        SoftCq sendCq = SoftVerbs.cast(SoftCq.class, attributes.getSend_cq());
        SoftCq receiveCq = SoftVerbs.cast(SoftCq.class, attributes.getRecv_cq());
        if (!domain.isOpen() || !sendCq.isOpen() || !receiveCq.isOpen()) {
            throw new IOException("protection domain or completion queue is destroyed");
        }
        SoftQp qp = new SoftQp(domain, sendCq, receiveCq, attributes);
        sendCq.addQueuePair(id.events());
        try {
            receiveCq.addQueuePair(id.events());
        } catch (IOException e) {
            sendCq.removeQueuePair();
            throw e;
        }
        domain.domain().enter();
        id.device().queuePairs.incrementAndGet();
        id.queuePair(qp);
        return qp;
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
        destroyQP(SoftVerbs.cast(SoftCmId.class, id));
        return 0;
    }

    private static void destroyQP(SoftCmId id) {
        SoftQp qp = id.queuePair();
        if (qp != null) {
            qp.toError("queue pair destroyed");
            qp.destroy();
            id.queuePair(null);
        }
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        SoftCmId i = open(id);
        InetSocketAddress local = inet(address);
        if (i.listener() != null || i.connection() != null) {
            throw new IOException("id is bound already");
        }
        SoftListener listener = new SoftListener(i, local);
        i.listener(listener);
        i.source(listener.localAddress());
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        SoftListener listener = open(id).listener();
        if (listener == null) {
            throw new IOException("id is not bound");
        }
        listener.listen(backlog);
    }

    private static InetSocketAddress inet(@Nullable SocketAddress address) throws IOException {
        if (address instanceof InetSocketAddress && !((InetSocketAddress) address).isUnresolved()) {
            return (InetSocketAddress) address;
        }
        throw new IOException("not a resolved internet address: " + address);
    }

    @Override
    public void resolveAddr(RdmaCmId id, @Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        SoftCmId i = open(id);
        i.destination(inet(destination));
        if (source != null) {
            i.source(inet(source));
        }
        i.event(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, 0, null);
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMillis) throws IOException {
        SoftCmId i = open(id);
        if (i.destination() == null) {
            throw new IOException("address is not resolved");
        }
        i.event(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, 0, null);
    }

    @Override
    public @Nullable RdmaCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
        RdmaCmEvent event =
                SoftVerbs.cast(SoftEventChannel.class, channel).cmEvents().poll();
        if (event == null) {
            SoftEventChannel.refuseToWait(timeoutMillis);
        }
        return event;
    }

    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        return 0;
    }

    @Override
    public void connect(RdmaCmId id, @Nullable RdmaConnParam parameters) throws IOException {
        connect(open(id), parameters);
    }

    private static void connect(SoftCmId id, @Nullable RdmaConnParam parameters) throws IOException {
        InetSocketAddress destination = id.destination();
        SoftQp qp = id.queuePair();
        if (destination == null) {
            throw new IOException("address is not resolved");
        }
        if (qp == null || qp.queues().isInError()) {
            throw new IOException("id has no queue pair, or one in error");
        }
        if (id.connection() != null || qp.queues().isReady()) {
            throw new IOException("id is connected or connecting");
        }
        SoftProviderConfig config = id.device().config;
        ConnectionParameters p = requested(parameters, qp, config);
        MpaInitiator mpa = new MpaInitiator(
                config.crcMode(),
                config.maxReadsInFlight(),
                p.responderResources(),
                p.initiatorDepth(),
                p.privateData());
        InetSocketAddress source = id.source();
        SoftListener bound = id.listener();
        if (bound != null) {
            // The port was reserved by listening to it; it is free again for the connection.
            id.listener(null);
            bound.close();
        }
        InitiatorStartup.connect(id, mpa, source, destination);
    }

    @Override
    public void accept(RdmaCmId id, @Nullable RdmaConnParam parameters) throws IOException {
        SoftCmId i = open(id);
        SoftQp qp = i.queuePair();
        if (qp == null || qp.queues().isInError()) {
            throw new IOException("id has no queue pair, or one in error");
        }
        ConnectionParameters p = requested(parameters, qp, i.device().config);
        request(i).accept(qp, p.responderResources(), p.initiatorDepth(), p.privateData());
    }

    /** Checks what an application asks for in connect and accept, and gives the queue pair its part of it. */
    private static ConnectionParameters requested(
            @Nullable RdmaConnParam parameters, SoftQp qp, SoftProviderConfig config) throws IOException {
        ConnectionParameters known = FaceVerbs.parameters(parameters);
        check(known.privateData());
        int timeout = known.receiverNotReadyTimeoutMillis();
        qp.receiverNotReadyTimeoutMillis(
                timeout == ConnectionParameters.PROVIDERS_TIMEOUT ? config.receiverNotReadyTimeoutMillis() : timeout);
        return known;
    }

    private static void check(byte[] privateData) throws IOException {
        if (privateData.length > VerbsConstants.MAX_PRIVATE_DATA_BYTES) {
            throw new IOException("private data of " + privateData.length + " bytes (expected: at most "
                    + VerbsConstants.MAX_PRIVATE_DATA_BYTES + ")");
        }
    }

    /** Rejects the request that an id came with. */
    static void reject(RdmaCmId id, byte[] privateData) throws IOException {
        check(privateData);
        request(open(id)).reject(privateData);
    }

    private static PendingRequest request(SoftCmId id) throws IOException {
        TcpConnection connection = id.connection();
        Startup startup = connection == null ? null : connection.startup();
        PendingRequest request = startup == null ? null : startup.request();
        if (request == null) {
            throw new RequestGoneException(
                    "the connection request is gone" + (id.reason() == null ? "" : ": " + id.reason()));
        }
        return request;
    }

    /** Moves an unaccepted id; the thread of {@code target} calls. */
    static void migrate(RdmaCmId id, SoftEventChannel target) throws IOException {
        SoftCmId i = open(id);
        if (i.queuePair() != null) {
            throw new IOException("an id with a queue pair cannot move");
        }
        request(i).moveTo(target);
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        SoftCmId i = open(id);
        SoftQp qp = i.queuePair();
        TcpConnection connection = i.connection();
        if (connection != null && connection.isStreaming()) {
            connection.disconnect();
        } else if (qp != null && (connection == null || connection.startup() != null)) {
            // As librdmacm: to error first, whatever the state, so that posted receives come back.
            qp.queues().flush();
        }
        return 0;
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        destroy(SoftVerbs.cast(SoftCmId.class, id));
        return 0;
    }

    private static void destroy(SoftCmId id) {
        if (!id.isOpen()) {
            return;
        }
        destroyQP(id);
        SoftListener listener = id.listener();
        if (listener != null) {
            listener.close();
            id.requests().forEach(request -> destroy((SoftCmId) request));
        }
        TcpConnection connection = id.connection();
        if (connection != null) {
            connection.onIdDestroyed();
            id.connection(null);
        }
        id.endUse();
    }

    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        return destroyCmId(id);
    }

    @Override
    public @Nullable SocketAddress getSrcAddr(RdmaCmId id) throws IOException {
        return SoftVerbs.cast(SoftCmId.class, id).source();
    }

    @Override
    public @Nullable SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        return SoftVerbs.cast(SoftCmId.class, id).destination();
    }

    /** What the peer said, as far as the event carries it. */
    static @Nullable ConnectionParameters peerParameters(RdmaCmEvent event) throws IOException {
        RdmaConnParam p = SoftVerbs.cast(SoftCmEvent.class, event).parameters();
        return p instanceof ConnectionParameters ? (ConnectionParameters) p : null;
    }
}
