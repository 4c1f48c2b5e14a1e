// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection, as a program of verbs has it that does everything by itself. What it sees stands in {@link
 * #seen}, in the order in which it sees it: {@code "RDMA_CM_EVENT_…"} or {@code "request 7: 0"}, the latter with the
 * status.
 *
 * <p>Threading: one thread for both ends, see {@link VerbsPair}.
 */
final class VerbsEnd implements AutoCloseable {

    static final int BYTES = 64;

    final VerbsExtensions verbs;
    final RdmaEventChannel events;
    final List<String> seen = new ArrayList<>();
    final List<IbvMr> regions = new ArrayList<>();
    private final IbvWC[] completions = new IbvWC[16];
    IbvWC last = new IbvWC();
    RdmaCmId id;

    @Nullable
    RdmaCmId requested;

    @Nullable
    ConnectionParameters peer;

    @Nullable
    IbvPd pd;

    IbvCQ queue;
    IbvQP qp;
    private IbvCompChannel channel;
    private SVCPollCq poll;
    /** Runs for each completion that is seen. */
    Runnable onCompletion = () -> {};

    VerbsEnd(StrictDevice device) throws IOException {
        verbs = device.extensions();
        events = verbs.openConfinedEventChannel();
        id = events.createId(RdmaCm.RDMA_PS_TCP);
        for (int i = 0; i < completions.length; i++) {
            completions[i] = new IbvWC();
        }
    }

    /** Makes everything up to the queue pair, of the device of an id. */
    void prepare(RdmaCmId of, int depth) throws IOException {
        id = of;
        IbvContext context = of.getVerbs();
        pd = context.allocPd();
        channel = context.createCompChannel();
        queue = context.createCQ(channel, depth, 0);
        poll = queue.poll(completions, completions.length);
        verbs.attach(events, queue);
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_recv_wr(16);
        attributes.cap().setMax_send_wr(16);
        attributes.cap().setMax_recv_sge(1);
        attributes.cap().setMax_send_sge(1);
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setSend_cq(queue);
        attributes.setRecv_cq(queue);
        qp = of.createQP(pd, attributes);
    }

    InetSocketAddress listen() throws IOException {
        id.bindAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        id.listen(4);
        return verbs.localAddress(id);
    }

    IbvMr register(int access) throws IOException {
        return register(ByteBuffer.allocateDirect(BYTES), access);
    }

    IbvMr register(ByteBuffer memory, int access) throws IOException {
        IbvMr region = pd.regMr(memory, access).execute().getMr();
        regions.add(region);
        return region;
    }

    void receive(long wrId, IbvMr into) throws IOException {
        WorkRequestBatch ring = new WorkRequestBatch(1);
        ring.add().receive(wrId).local(into.getAddr(), into.getLength(), into.getLkey());
        verbs.postReceives(qp, ring);
    }

    void send(long wrId, IbvMr from) throws IOException {
        post(wrId, IbvSendWR.IBV_WR_SEND, from, null, IbvSendWR.IBV_SEND_SIGNALED);
    }

    void read(long wrId, IbvMr into, IbvMr from) throws IOException {
        post(wrId, IbvSendWR.IBV_WR_RDMA_READ, into, from, IbvSendWR.IBV_SEND_SIGNALED);
    }

    void post(long wrId, int opcode, IbvMr local, @Nullable IbvMr remote, int flags) throws IOException {
        WorkRequestBatch ring = new WorkRequestBatch(1);
        ring.add()
                .send(wrId, opcode, flags)
                .remote(remote == null ? 0 : remote.getRkey(), remote == null ? 0 : remote.getAddr())
                .local(local.getAddr(), local.getLength(), local.getLkey());
        verbs.postBatch(qp, ring);
    }

    /** Looks at everything once, completions before connection events. */
    void step() throws IOException {
        verbs.progress(events);
        pollCompletions();
        pollEvents();
    }

    void pollCompletions() throws IOException {
        if (poll == null) {
            return;
        }
        int count = poll.execute().getPolls();
        for (int i = 0; i < count; i++) {
            last = completions[i];
            seen.add("request " + last.getWr_id() + ": " + last.getStatus());
            onCompletion.run();
        }
    }

    void pollEvents() throws IOException {
        RdmaCmEvent event;
        while ((event = verbs.pollCmEvent(events)) != null) {
            EventType type = EventType.values()[event.getEvent()];
            seen.add(type.name());
            if (verbs.peerParameters(event) != null) {
                peer = verbs.peerParameters(event);
            }
            if (type == EventType.RDMA_CM_EVENT_CONNECT_REQUEST) {
                requested = event.getConnIdPriv();
            }
            if (type == EventType.RDMA_CM_EVENT_REJECTED) {
                seen.add("status " + event.getStatus());
            }
            event.ackEvent();
        }
    }

    boolean hasSeen(String what) {
        return seen.contains(what);
    }

    /** Ends the connection. The event channel goes on until {@link #close()}, when the other end has ended too. */
    void end() throws IOException {
        id.destroyQP();
        id.destroyId();
        for (IbvMr region : regions) {
            if (region.isOpen()) {
                region.deregMr().execute().free();
            }
        }
        if (queue != null) {
            verbs.detach(events, queue);
            queue.destroyCQ();
        }
        if (channel != null) {
            channel.destroyCompChannel();
        }
        if (pd != null) {
            deallocate(pd);
        }
    }

    @Override
    public void close() throws IOException {
        verbs.closeEventChannel(events);
    }

    /** DiSNI declares any exception at all. */
    private static void deallocate(IbvPd pd) throws IOException {
        try {
            pd.deallocPd();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("dealloc_pd", e);
        }
    }
}
