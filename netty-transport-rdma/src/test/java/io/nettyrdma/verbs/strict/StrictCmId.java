// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Identifier of a connection or listener.
 *
 * <p>Threading: that of its event channel; connect, disconnect, destroyQP and destroyId any thread.
 */
final class StrictCmId extends RdmaCmId {

    private final StrictDevice device;
    private final RdmaCmId kind;
    private StrictEventChannel events;
    private @Nullable StrictContext context;
    private volatile @Nullable StrictQp qp;
    private boolean bound;
    private boolean received;
    private boolean disconnected;

    StrictCmId(StrictDevice device, StrictEventChannel events, RdmaCmId kind) throws IOException {
        super(events, null);
        this.device = device;
        this.events = events;
        this.kind = kind;
        ps = kind.getPs();
        port_num = kind.getPort_num();
        device.ids().put(kind, this);
    }

    RdmaCmId kind() {
        return kind;
    }

    StrictEventChannel events() {
        return events;
    }

    /** Makes a counted call on behalf of the loop, by any thread. */
    <T> T call(Verb verb, Calls.Call<T> call) throws IOException {
        return device.calls().make(verb, () -> events.locked(call));
    }

    void run(Verb verb, Calls.Action action) throws IOException {
        call(verb, action);
    }

    void moveTo(StrictEventChannel target) {
        events = target;
        cmChannel = target;
    }

    /** From now on there is a device. */
    void bound() {
        bound = true;
    }

    /** A message has come. */
    void received() {
        received = true;
    }

    boolean hasReceived() {
        return received;
    }

    /** Whether this side has asked for the end. */
    boolean isDisconnected() {
        return disconnected;
    }

    /** The program is about to see an event. */
    void taken(StrictCmEvent event) {
        EventType type = event.type();
        if (type == EventType.RDMA_CM_EVENT_ADDR_RESOLVED) {
            bound = true;
        }
        StrictQp present = qp;
        if (type == EventType.RDMA_CM_EVENT_DISCONNECTED && present != null) {
            present.othersAreIn();
        }
    }

    @Override
    public @Nullable IbvContext getVerbs() throws IOException {
        IbvContext below = bound ? kind.getVerbs() : null;
        if (below == null) {
            return null;
        }
        StrictContext present = context;
        if (present == null) {
            present = context = device.context(below);
        }
        return present;
    }

    @Override
    public @Nullable IbvQP getQp() {
        return qp;
    }

    @Override
    public IbvQP createQP(IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        return call(Verb.CREATE_QUEUE_PAIR, () -> {
            if (attributes.getQp_type() != IbvQP.IBV_QPT_RC) {
                throw new IOException("only reliable connections have queue pairs of this device");
            }
            StrictCq sendQueue = (StrictCq) attributes.getSend_cq();
            StrictCq receiveQueue = (StrictCq) attributes.getRecv_cq();
            IbvQPInitAttr below = new IbvQPInitAttr();
            below.cap().setMax_send_wr(attributes.cap().getMax_send_wr());
            below.cap().setMax_recv_wr(attributes.cap().getMax_recv_wr());
            below.cap().setMax_send_sge(attributes.cap().getMax_send_sge());
            below.cap().setMax_recv_sge(attributes.cap().getMax_recv_sge());
            below.setQp_type(attributes.getQp_type());
            below.setSend_cq(sendQueue.kind());
            below.setRecv_cq(receiveQueue.kind());
            StrictPd domain = (StrictPd) pd;
            IbvQP made = kind.createQP(domain.kind(), below);
            StrictQp strict =
                    new StrictQp(device, this, made, domain, sendQueue, receiveQueue, attributes.getSq_sig_all() != 0);
            qp = strict;
            return strict;
        });
    }

    @Override
    public void bindAddr(SocketAddress address) throws IOException {
        run(Verb.BIND, () -> {
            kind.bindAddr(address);
            bound = true;
        });
    }

    @Override
    public void listen(int backlog) throws IOException {
        run(Verb.LISTEN, () -> kind.listen(backlog));
    }

    @Override
    public void resolveAddr(@Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        run(Verb.RESOLVE_ADDRESS, () -> kind.resolveAddr(source, destination, timeoutMillis));
    }

    @Override
    public void resolveRoute(int timeoutMillis) throws IOException {
        run(Verb.RESOLVE_ROUTE, () -> kind.resolveRoute(timeoutMillis));
    }

    @Override
    public void connect(@Nullable RdmaConnParam parameters) throws IOException {
        checkPrivateData(parameters, StrictCmEvent.CONNECT_BYTES);
        run(Verb.CONNECT, () -> kind.connect(parameters));
    }

    @Override
    public void accept(@Nullable RdmaConnParam parameters) throws IOException {
        checkPrivateData(parameters, StrictCmEvent.ACCEPT_BYTES);
        run(Verb.ACCEPT, () -> kind.accept(parameters));
    }

    private void checkPrivateData(@Nullable RdmaConnParam parameters, int most) throws IOException {
        if (device.has(Trait.PRIVATE_DATA_PADDED)
                && parameters instanceof ConnectionParameters own
                && own.privateData().length > most) {
            throw new IOException("private data of " + own.privateData().length + " octets: Invalid argument (errno"
                    + " 22); at most " + most + " fit");
        }
    }

    @Override
    public int disconnect() throws IOException {
        return call(Verb.DISCONNECT, () -> {
            disconnected = true;
            return kind.disconnect();
        });
    }

    /** This side has brought the queue pair to error. */
    void movedToError() {
        disconnected = true;
    }

    @Override
    public int destroyQP() throws IOException {
        StrictQp present = qp;
        if (present != null) {
            present.beginDestruction();
        }
        return call(Verb.DESTROY_QUEUE_PAIR, this::destroyQueuePair);
    }

    private int destroyQueuePair() throws IOException {
        StrictQp present = qp;
        if (present != null) {
            disconnected = true;
            kind.destroyQP();
            present.destroyed();
            qp = null;
        }
        return 0;
    }

    @Override
    public int destroyId() throws IOException {
        return call(Verb.DESTROY_ID, () -> {
            destroyQueuePair();
            events.forget(this);
            return destroyBelow();
        });
    }

    int destroyBelow() throws IOException {
        int result = kind.destroyId();
        device.ids().remove(kind, this);
        close();
        return result;
    }

    @Override
    public int destroyEp() throws IOException {
        return destroyId();
    }

    @Override
    public @Nullable SocketAddress getSource() throws IOException {
        return kind.getSource();
    }

    @Override
    public @Nullable SocketAddress getDestination() throws IOException {
        return kind.getDestination();
    }
}
