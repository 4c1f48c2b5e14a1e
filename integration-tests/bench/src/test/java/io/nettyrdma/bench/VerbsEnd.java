// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.MemoryWindow;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * One end of a {@link VerbsPingPong}, with nothing between it and the verbs.
 *
 * <p>Threading: one thread at a time. Ownership: of all that it makes, until {@link #close}.
 */
final class VerbsEnd implements CompletionHandler {

    private static final int OCTETS = 64;
    private static final int RECEIVES = 64;
    private static final int SENDS = 64;
    private static final int COMPLETIONS = 256;
    private static final int SEND_ID = 99;
    private static final int RESOLVE_MILLIS = 2000;
    private static final int READS = 4;

    private final VerbsExtensions verbs;
    private final RdmaEventChannel events;
    private final WorkRequestBatch request = new WorkRequestBatch(1);
    private final long[] ids = new long[CompletionPoller.BATCH];
    private final int[] statuses = new int[CompletionPoller.BATCH];
    private RdmaCmId id;
    private IbvPd pd;
    private IbvCompChannel channel;
    private IbvCQ queue;
    private IbvQP qp;
    private IbvMr memory;
    private CompletionPoller poller;
    private SVCReqNotify arm;
    private int count;
    private int next;

    VerbsEnd(VerbsExtensions verbs) throws IOException {
        this.verbs = verbs;
        events = verbs.openConfinedEventChannel();
    }

    RdmaCmId createId() throws IOException {
        return events.createId(RdmaCm.RDMA_PS_TCP);
    }

    private RdmaCmId expect(EventType type) throws IOException {
        RdmaCmEvent event;
        while ((event = verbs.pollCmEvent(events)) == null) {
            verbs.await(events, -1);
        }
        if (event.getEvent() != type.ordinal()) {
            throw new IOException(EventType.values()[event.getEvent()] + " with status " + event.getStatus());
        }
        RdmaCmId of = event.getConnIdPriv();
        event.ackEvent();
        return of;
    }

    /** Everything up to the queue pair with its receives, of the device of an id. */
    private void prepare(RdmaCmId of) throws IOException {
        id = of;
        IbvContext context = of.getVerbs();
        pd = context.allocPd();
        channel = context.createCompChannel();
        queue = context.createCQ(channel, COMPLETIONS, 0);
        poller = verbs.poller(queue);
        arm = queue.reqNotification(false);
        verbs.attach(events, queue);
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_recv_wr(RECEIVES);
        attributes.cap().setMax_send_wr(SENDS);
        attributes.cap().setMax_recv_sge(1);
        attributes.cap().setMax_send_sge(1);
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setSend_cq(queue);
        attributes.setRecv_cq(queue);
        qp = of.createQP(pd, attributes);
        ByteBuffer octets = ByteBuffer.allocateDirect((1 + RECEIVES) * OCTETS);
        memory = register(octets, IbvMr.IBV_ACCESS_LOCAL_WRITE);
        for (int slot = 0; slot < RECEIVES; slot++) {
            receive(slot);
        }
    }

    /** Accepts the next connection that is asked for. */
    void accept() throws IOException {
        prepare(expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST));
        id.accept(new ConnectionParameters(new byte[0], READS, READS));
        expect(EventType.RDMA_CM_EVENT_ESTABLISHED); // left there, it would end every wait
    }

    void connect(InetSocketAddress address) throws IOException {
        RdmaCmId made = createId();
        made.resolveAddr(null, address, RESOLVE_MILLIS);
        expect(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        made.resolveRoute(RESOLVE_MILLIS);
        expect(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        prepare(made);
        made.connect(new ConnectionParameters(new byte[0], READS, READS));
        expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
    }

    private void receive(long slot) throws IOException {
        request.clear();
        request.add().receive(slot).local(memory.getAddr() + (1 + slot) * OCTETS, OCTETS, memory.getLkey());
        verbs.postReceives(qp, request);
    }

    void send() throws IOException {
        request.clear();
        request.add()
                .send(SEND_ID, IbvSendWR.IBV_WR_SEND, IbvSendWR.IBV_SEND_SIGNALED)
                .local(memory.getAddr(), OCTETS, memory.getLkey());
        verbs.postBatch(qp, request);
    }

    /** Waits for a completion, the {@link #next} one; returns whether the connection is not over. */
    private boolean awaitCompletion() throws IOException {
        boolean armed = false;
        while (next == count) {
            next = 0;
            count = 0;
            poller.poll(this);
            if (count > 0) {
                break;
            }
            if (!armed) {
                arm.execute();
            } else {
                verbs.await(events, -1);
                if (verbs.pollCmEvent(events) != null) {
                    return false;
                }
            }
            armed = !armed; // what came before it was armed raises no event: look once more
        }
        return true;
    }

    @Override
    public void onCompletion(
            long requestId, int status, int opcode, int bytes, int immediate, int queuePair, int flags) {
        ids[count] = requestId;
        statuses[count++] = status;
    }

    /** Waits for a message and posts its receive again; {@code false} if the connection is over. */
    boolean nextMessage() throws IOException {
        while (true) {
            if (!awaitCompletion() || statuses[next] != 0) {
                return false;
            }
            long completed = ids[next++];
            if (completed != SEND_ID) {
                receive(completed);
                return true;
            }
        }
    }

    /** Registers memory for the peer to reach. */
    IbvMr register(ByteBuffer octets, int access) throws IOException {
        return pd.regMr(octets, access).execute().free().getMr();
    }

    /** A window, or what the provider throws where the device has none. */
    MemoryWindow allocateWindow() throws IOException {
        return verbs.allocateWindow(pd);
    }

    /** Binds a window to all of a region; returns its key. */
    int bind(MemoryWindow window, IbvMr region) throws IOException {
        int key = window.nextKey();
        request.clear();
        request.add()
                .bind(SEND_ID, window, key, region, region.getAddr(), region.getLength(), IbvMr.IBV_ACCESS_REMOTE_READ);
        verbs.postBatch(qp, request);
        return key;
    }

    /** Sends a message, after which the peer cannot reach {@code key} of its own memory any more. */
    void sendInvalidating(int key) throws IOException {
        request.clear();
        request.add()
                .send(SEND_ID, VerbsConstants.WR_SEND_WITH_INV, IbvSendWR.IBV_SEND_SIGNALED)
                .remote(key, 0)
                .local(memory.getAddr(), OCTETS, memory.getLkey());
        verbs.postBatch(qp, request);
    }

    void disconnect() throws IOException {
        id.disconnect();
    }

    void close() throws Exception {
        id.destroyQP();
        id.destroyId();
        memory.deregMr().execute().free();
        verbs.detach(events, queue);
        poller.free();
        arm.free();
        queue.destroyCQ();
        channel.destroyCompChannel();
        pd.deallocPd();
        verbs.closeEventChannel(events);
    }
}
