// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvCQ;
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
import com.ibm.disni.verbs.RdmaVerbs;
import io.netty.util.internal.logging.InternalLogLevel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.verbs.soft.rdmap.Accounting;
import io.nettyrdma.verbs.spi.CompletionPoller;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** One side of a test: a confined event channel with a protection domain and a completion queue, driven by the test. */
final class Node implements AutoCloseable {

    static final int ALL = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_READ | IbvMr.IBV_ACCESS_REMOTE_WRITE;
    static final int LOCAL = IbvMr.IBV_ACCESS_LOCAL_WRITE;
    static final int SIGNALED = IbvSendWR.IBV_SEND_SIGNALED;
    static final byte[] NONE = {};

    /** A completion, copied. */
    record Completion(long id, int status, int opcode, int bytes, int flags, int key, int qp) {}

    final SoftProvider provider;
    /** What peers made it write. */
    final CapturedLog log = new CapturedLog();

    final VerbsExtensions extensions;
    final RdmaCm cm;
    final RdmaVerbs verbs;
    final RdmaEventChannel events;
    final SoftContext context;
    IbvPd pd;
    final IbvCQ cq;
    final Deque<Completion> completions = new ArrayDeque<>();
    private final WorkRequestBatch ring = new WorkRequestBatch(1);
    private final Accounting accounting = new Accounting();
    private final Set<Integer> signalAll = new HashSet<>();
    private final CompletionPoller poller;
    private final List<RdmaCmId> ids = new ArrayList<>();
    private final List<IbvMr> regions = new ArrayList<>();
    private final List<IbvPd> domains = new ArrayList<>();

    /** The defaults, with the way to peers on this host that all tests of this JVM take. */
    static SoftProviderConfig.Builder config() {
        String way = System.getProperty("io.nettyrdma.soft.sameHost", "auto");
        return SoftProviderConfig.builder().sameHostAfterBatches(SoftProviderConfig.SAME_HOST.get(way));
    }

    Node(SoftProviderConfig config) throws IOException {
        this(config, 4096);
    }

    Node(SoftProviderConfig config, int cqDepth) throws IOException {
        this(config, cqDepth, System::nanoTime);
    }

    Node(SoftProviderConfig config, int cqDepth, LongSupplier nanoTime) throws IOException {
        InstalledProvider.ensure();
        provider = new SoftProvider(config, nanoTime, type -> log.log());
        extensions = provider.extensions();
        cm = provider.openCm();
        verbs = provider.openVerbs();
        events = extensions.openConfinedEventChannel();
        context = ((SoftEventChannel) events).context();
        pd = newPd();
        cq = verbs.createCQ(context, null, cqDepth, 0);
        poller = extensions.poller(cq);
    }

    IbvPd newPd() throws IOException {
        IbvPd p = verbs.allocPd(context);
        domains.add(p);
        return p;
    }

    SoftMr register(int bytes, int access) throws IOException {
        return register(ByteBuffer.allocateDirect(bytes), access);
    }

    SoftMr register(ByteBuffer buffer, int access) throws IOException {
        return register(pd, buffer, access);
    }

    SoftMr register(IbvPd domain, ByteBuffer buffer, int access) throws IOException {
        SoftMr mr = (SoftMr) verbs.regMr(domain, buffer, access).execute().getMr();
        regions.add(mr);
        return mr;
    }

    RdmaCmId newId() throws IOException {
        return own(cm.createId(events, RdmaCm.RDMA_PS_TCP));
    }

    RdmaCmId own(RdmaCmId id) {
        ids.add(id);
        return id;
    }

    IbvQP newQp(RdmaCmId id, int depth) throws IOException {
        return newQp(id, depth, false);
    }

    IbvQP newQp(RdmaCmId id, int depth, boolean signalEach) throws IOException {
        IbvQPInitAttr attr = new IbvQPInitAttr();
        attr.cap().setMax_send_wr(depth);
        attr.cap().setMax_recv_wr(depth);
        attr.cap().setMax_send_sge(1);
        attr.cap().setMax_recv_sge(1);
        attr.setSend_cq(cq);
        attr.setRecv_cq(cq);
        attr.setSq_sig_all((byte) (signalEach ? 1 : 0));
        IbvQP qp = cm.createQP(id, pd, attr);
        if (signalEach) {
            signalAll.add(qp.getQp_num());
        }
        return qp;
    }

    RdmaCmId listen(InetSocketAddress address, int backlog) throws IOException {
        RdmaCmId id = newId();
        cm.bindAddr(id, address);
        cm.listen(id, backlog);
        return id;
    }

    void connect(RdmaCmId id, InetSocketAddress to, ConnectionParameters parameters) throws IOException {
        cm.resolveAddr(id, null, to, Deadline.MILLIS);
        expect(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        cm.resolveRoute(id, Deadline.MILLIS);
        expect(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        cm.connect(id, parameters);
    }

    /** Something else that has to move whenever this node does. */
    Runnable alongside = () -> {};

    /** Makes progress and collects completions. */
    void drive() {
        alongside.run();
        try {
            extensions.progress(events);
            poll();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void poll() throws IOException {
        while (poller.poll(this::completed) > 0) {}
    }

    private void completed(long id, int status, int opcode, int bytes, int immediate, int qp, int flags) {
        completions.add(new Completion(id, status, opcode, bytes, flags, immediate, qp));
        accounting.completed(qp, opcode == VerbsConstants.WC_RECV, id, status);
    }

    RdmaCmEvent event(Node... others) throws IOException {
        RdmaCmEvent[] event = new RdmaCmEvent[1];
        await("a connection event", () -> (event[0] = pollEvent()) != null, others);
        return event[0];
    }

    RdmaCmEvent pollEvent() {
        try {
            return extensions.pollCmEvent(events);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    RdmaCmEvent expect(EventType type, Node... others) throws IOException {
        RdmaCmEvent event = event(others);
        EventType actual = EventType.values()[event.getEvent()];
        if (actual != type) {
            throw new AssertionError("expected " + type + ", but got " + actual + " with status " + event.getStatus()
                    + ", " + extensions.disconnectReason(event.getConnIdPriv()));
        }
        return event;
    }

    Completion completion(Node... others) {
        await("a completion", () -> !completions.isEmpty(), others);
        return completions.remove();
    }

    /** Drives this node and the others until the condition holds. */
    void await(String what, BooleanSupplier condition, Node... others) {
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        do {
            if (condition.getAsBoolean()) {
                return;
            }
            drive();
            for (Node other : others) {
                other.drive();
            }
        } while (System.nanoTime() - end < 0);
        throw new AssertionError("waited in vain for " + what);
    }

    void receive(IbvQP qp, long id, SoftMr mr, int offset, int length) throws IOException {
        ring.clear();
        ring.add().receive(id).local(mr.getAddr() + offset, length, mr.getLkey());
        postReceives(qp, ring);
    }

    void postReceives(IbvQP qp, WorkRequestBatch requests) throws IOException {
        extensions.postReceives(qp, requests);
        for (int i = 0; i < requests.size(); i++) {
            accounting.receivePosted(qp.getQp_num(), requests.get(i).id());
        }
    }

    void post(IbvQP qp, WorkRequestBatch requests) throws IOException {
        extensions.postBatch(qp, requests);
        boolean all = signalAll.contains(qp.getQp_num());
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest r = requests.get(i);
            accounting.sendPosted(qp.getQp_num(), r.id(), all || (r.flags() & SIGNALED) != 0);
        }
    }

    WorkRequest request() {
        ring.clear();
        return ring.add();
    }

    void post(IbvQP qp) throws IOException {
        post(qp, ring);
    }

    void send(IbvQP qp, long id, int flags, SoftMr mr, int offset, int length) throws IOException {
        request().send(id, IbvSendWR.IBV_WR_SEND, flags).local(mr.getAddr() + offset, length, mr.getLkey());
        post(qp);
    }

    void sendInvalidate(IbvQP qp, long id, SoftMr mr, int length, int key) throws IOException {
        request()
                .send(id, VerbsConstants.WR_SEND_WITH_INV, SIGNALED)
                .remote(key, 0)
                .local(mr.getAddr(), length, mr.getLkey());
        post(qp);
    }

    void write(IbvQP qp, long id, SoftMr from, int length, int key, long address) throws IOException {
        request()
                .send(id, IbvSendWR.IBV_WR_RDMA_WRITE, SIGNALED)
                .remote(key, address)
                .local(from.getAddr(), length, from.getLkey());
        post(qp);
    }

    void read(IbvQP qp, long id, int flags, SoftMr to, int offset, int length, int key, long address)
            throws IOException {
        request()
                .send(id, IbvSendWR.IBV_WR_RDMA_READ, flags)
                .remote(key, address)
                .local(to.getAddr() + offset, length, to.getLkey());
        post(qp);
    }

    InetSocketAddress localAddress(RdmaCmId id) {
        return extensions.localAddress(id);
    }

    String reason(RdmaCmId id) {
        return extensions.disconnectReason(id);
    }

    void disown(RdmaCmId id) {
        ids.remove(id);
    }

    /** Destroys everything and checks that every request has completed once and that nothing is left. */
    @Override
    public void close() throws IOException {
        for (RdmaCmId id : ids) {
            cm.destroyCmId(id);
        }
        poll();
        accounting.end();
        for (CapturedLog.Line line : log.lines) {
            if (line.level() == InternalLogLevel.ERROR) {
                throw new AssertionError(line.text(), line.trace());
            }
        }
        for (IbvMr mr : regions) {
            verbs.deregMr(mr).execute();
        }
        verbs.destroyCQ(cq);
        for (IbvPd domain : domains) {
            verbs.deallocPd(domain);
        }
        ((SoftEventChannel) events).destroy(); // without lingering: this thread drives the peer, too
        if (((SoftEventChannel) events).buffers().taken() != 0) {
            throw new AssertionError(((SoftEventChannel) events).buffers().taken() + " buffers were not given back");
        }
        if (!provider.openResources().equals(SoftProvider.OpenResources.NONE)) {
            throw new AssertionError("left over: " + provider.openResources());
        }
    }
}
