// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.choice.RdmaProviders;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A provider's id as channels get it: tied to the event loop that owns it, which the provider knows nothing of.
 *
 * <p>Threading: that of the owner; {@link #owner()} and the calls of {@link VerbsExtensions#callExecutor()} any.
 * Ownership: owns the provider's id.
 */
final class DisniCmId extends RdmaCmId {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(DisniCmId.class);

    private final SharedEventChannel shared;
    private final RdmaCmId id;
    /** Held during the calls that other threads than the owner's may make, one at a time. */
    private final ReentrantLock calls = new ReentrantLock();

    private volatile DisniEventChannel owner;
    private boolean destroyed;
    private boolean listening;
    private @Nullable SocketAddress remote;
    private volatile @Nullable IbvQP queuePair;
    /** What ended the connection, or kept it from being made; {@code null} if nothing is to be said of it. */
    private volatile @Nullable String reason;

    DisniCmId(SharedEventChannel shared, RdmaCmId id, DisniEventChannel owner) throws IOException {
        super(owner, null);
        this.shared = shared;
        this.id = id;
        this.owner = owner;
    }

    /** The loop that gets its events. */
    DisniEventChannel owner() {
        return owner;
    }

    SharedEventChannel shared() {
        return shared;
    }

    /** Gives the events to come to another loop, and those that wait for the present one. */
    synchronized void moveTo(DisniEventChannel target) throws IOException {
        DisniEventChannel before = owner;
        owner = target;
        cmChannel = target;
        for (DisniCmEvent event : before.takeEventsOf(this)) {
            deliver(event);
        }
    }

    /** Why there is no connection, as far as the kinds of events tell, which is all that libdisni passes on. */
    @Nullable
    String reason() {
        return reason;
    }

    private void note(DisniCmEvent event) {
        switch (event.type()) {
            case RDMA_CM_EVENT_REJECTED ->
                reason = "refused: no program listens there, or the one that does rejected the connection;"
                        + " libdisni does not say which";
            case RDMA_CM_EVENT_ADDR_ERROR,
                    RDMA_CM_EVENT_ROUTE_ERROR,
                    RDMA_CM_EVENT_CONNECT_ERROR,
                    RDMA_CM_EVENT_UNREACHABLE,
                    RDMA_CM_EVENT_DEVICE_REMOVAL -> reason = event.type().name();
            default -> {} // no end, or an orderly one
        }
    }

    /** Hands an event about this id to its loop. */
    synchronized void deliver(DisniCmEvent event) throws IOException {
        note(event);
        if (!owner.add(event)) {
            event.drop(); // the loop has ended
        }
    }

    @Override
    @Nullable
    public IbvContext getVerbs() throws IOException {
        return id.getVerbs();
    }

    @Override
    @Nullable
    public IbvQP getQp() {
        return id.getQp();
    }

    @Override
    public int getPs() {
        return id.getPs();
    }

    @Override
    public byte getPort_num() {
        return id.getPort_num();
    }

    @Override
    public boolean isOpen() {
        return id.isOpen();
    }

    @Override
    @Nullable
    public IbvQP createQP(IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        try {
            IbvQP made = id.createQP(pd, attributes);
            if (made != null) {
                queuePair = made;
                shared.queuePairs().put(made, this);
            }
            return made;
        } catch (IOException e) {
            throw NativeErrors.creating(e, "queue pair");
        }
    }

    @Override
    public void bindAddr(SocketAddress address) throws IOException {
        requireIpv4(address);
        try {
            id.bindAddr(address);
        } catch (IOException e) {
            throw NativeErrors.binding(e, address);
        }
    }

    /** libdisni would take the first four octets of any other address. */
    private static void requireIpv4(SocketAddress address) throws IOException {
        if (!(address instanceof InetSocketAddress inet) || !(inet.getAddress() instanceof Inet4Address)) {
            throw new SocketException("DiSNI's own provider knows IPv4 addresses only, not " + address
                    + "; name an IPv4 address, such as 0.0.0.0 to listen on all, or choose another provider with -D"
                    + RdmaProviders.PROPERTY);
        }
    }

    @Override
    public void listen(int backlog) throws IOException {
        listening = true;
        try {
            id.listen(backlog);
        } catch (IOException e) {
            throw NativeErrors.binding(e, String.valueOf(id.getSource()));
        }
    }

    @Override
    public void resolveAddr(@Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        requireIpv4(destination);
        remote = destination;
        if (source != null) {
            bindAddr(source); // libdisni ignores it below
        }
        try {
            id.resolveAddr(null, destination, timeoutMillis);
        } catch (IOException e) {
            throw NativeErrors.connecting(e, destination);
        }
    }

    @Override
    public void resolveRoute(int timeoutMillis) throws IOException {
        try {
            id.resolveRoute(timeoutMillis);
        } catch (IOException e) {
            throw NativeErrors.connecting(e, String.valueOf(remote));
        }
    }

    @Override
    public void connect(RdmaConnParam parameters) throws IOException {
        calls.lock();
        try {
            id.connect(parameters); // on siw TCP connects within this call
        } catch (IOException e) {
            throw NativeErrors.connecting(e, String.valueOf(remote));
        } finally {
            calls.unlock();
        }
    }

    @Override
    public void accept(RdmaConnParam parameters) throws IOException {
        try {
            id.accept(parameters);
        } catch (IOException e) {
            throw NativeErrors.connecting(e, "the peer that is accepted");
        }
    }

    @Override
    public int disconnect() throws IOException {
        calls.lock();
        try {
            return id.disconnect();
        } finally {
            calls.unlock();
        }
    }

    /**
     * Disconnects unless the id is destroyed, whatever comes of it. Not while another call is in: a disconnect does the
     * same, and the end of a connect that holds its caller is followed by the destruction.
     */
    void endQuietly() {
        if (!calls.tryLock()) {
            return;
        }
        try {
            if (!destroyed) {
                id.disconnect();
            }
        } catch (IOException | RuntimeException e) {
            logger.debug("disconnect failed", e);
        } finally {
            calls.unlock();
        }
    }

    @Override
    public int destroyQP() throws IOException {
        forgetQueuePair();
        calls.lock();
        try {
            return NativeErrors.freed(id.destroyQP(), "queue pair");
        } finally {
            calls.unlock();
        }
    }

    private void forgetQueuePair() {
        IbvQP present = queuePair;
        queuePair = null;
        if (present != null) {
            shared.queuePairs().remove(present);
        }
    }

    @Override
    public int destroyId() throws IOException {
        forgetQueuePair();
        calls.lock();
        try {
            destroyed = true;
            return NativeErrors.freed(shared.destroy(id, listening), "connection id");
        } finally {
            calls.unlock();
        }
    }

    @Override
    public int destroyEp() throws IOException {
        throw new UnsupportedOperationException("destroy the queue pair and the id");
    }

    @Override
    @Nullable
    public SocketAddress getSource() throws IOException {
        return id.getSource();
    }

    @Override
    @Nullable
    public SocketAddress getDestination() throws IOException {
        return id.getDestination();
    }

    @Override
    public String toString() {
        return "DisniCmId[" + id + ']';
    }
}
