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
package io.nettyrdma.verbs;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One end of a connection in a program written to DiSNI's API and to nothing else: a thread that takes connection
 * events, a thread that takes completions by one of DiSNI's two ways, and application threads that post.
 */
final class DisniEndpoint {

    /** How a program learns of completions. */
    enum Completions {
        /** Arm, poll once more, block in {@code getCqEvent}. */
        EVENTS,
        /** Poll until something comes. */
        POLLING
    }

    /** What the completion thread does with a completion. */
    interface Handler {
        void completed(IbvWC completion) throws Exception;
    }

    static final int SLOT_BYTES = 256;
    static final int SEND_WITH_INVALIDATE = 9;
    private static final int FLUSHED = 5;
    private static final int RECEIVE_SLOTS = 64;
    private static final int DEPTH = 256;

    final RdmaCmId id;
    final IbvPd pd;
    final IbvQP qp;
    private final RdmaEventChannel events;
    private final IbvCompChannel completionChannel;
    private final IbvCQ cq;
    private final ByteBuffer receiveMemory = ByteBuffer.allocateDirect(RECEIVE_SLOTS * SLOT_BYTES);
    private final IbvMr receiveRegion;
    private final SVCPostRecv[] receives = new SVCPostRecv[RECEIVE_SLOTS];
    private final CompletableFuture<Void> completionThread = new CompletableFuture<>();
    private final CompletableFuture<Void> eventThread = new CompletableFuture<>();
    private final CompletableFuture<Void> established = new CompletableFuture<>();
    private final CompletableFuture<Void> disconnected = new CompletableFuture<>();
    private int flushedReceives;

    private DisniEndpoint(RdmaEventChannel events, RdmaCmId id) throws IOException {
        this.events = events;
        this.id = id;
        pd = id.getVerbs().allocPd();
        completionChannel = id.getVerbs().createCompChannel();
        cq = id.getVerbs().createCQ(completionChannel, 2 * DEPTH + RECEIVE_SLOTS, 0);
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_send_wr(DEPTH);
        attributes.cap().setMax_recv_wr(RECEIVE_SLOTS);
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setSend_cq(cq);
        attributes.setRecv_cq(cq);
        qp = id.createQP(pd, attributes);
        receiveRegion = register(receiveMemory, IbvMr.IBV_ACCESS_LOCAL_WRITE);
        for (int i = 0; i < RECEIVE_SLOTS; i++) {
            IbvRecvWR receive = new IbvRecvWR();
            receive.setWr_id(i);
            receive.setSg_list(entry(receiveRegion, i * SLOT_BYTES, SLOT_BYTES));
            receive.setNum_sge(1);
            receives[i] = qp.postRecv(List.of(receive), null);
            receives[i].execute();
        }
    }

    /** Waits for one connection request on a listener's event channel, and accepts it. */
    static DisniEndpoint accept(RdmaEventChannel events, Completions way, Function<DisniEndpoint, Handler> handler)
            throws Exception {
        RdmaCmEvent request = expect(events, EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
        DisniEndpoint endpoint = new DisniEndpoint(events, request.getConnIdPriv());
        request.ackEvent();
        endpoint.start(way, handler.apply(endpoint));
        endpoint.id.accept(parameters());
        endpoint.established.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
        return endpoint;
    }

    /** Connects to where {@code listener} listens. */
    static DisniEndpoint connect(RdmaCmId listener, Completions way, Function<DisniEndpoint, Handler> handler)
            throws Exception {
        RdmaEventChannel events = RdmaEventChannel.createEventChannel();
        RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
        id.resolveAddr(null, listener.getSource(), Deadline.MILLIS);
        expect(events, EventType.RDMA_CM_EVENT_ADDR_RESOLVED).ackEvent();
        id.resolveRoute(Deadline.MILLIS);
        expect(events, EventType.RDMA_CM_EVENT_ROUTE_RESOLVED).ackEvent();
        DisniEndpoint endpoint = new DisniEndpoint(events, id);
        endpoint.start(way, handler.apply(endpoint));
        id.connect(parameters());
        endpoint.established.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
        return endpoint;
    }

    private static RdmaConnParam parameters() throws IOException {
        RdmaConnParam parameters = new RdmaConnParam();
        parameters.setRetry_count((byte) 6);
        parameters.setRnr_retry_count((byte) 7);
        return parameters;
    }

    static RdmaCmEvent expect(RdmaEventChannel events, EventType type) throws IOException {
        RdmaCmEvent event = events.getCmEvent(Deadline.MILLIS);
        if (event == null || event.getEvent() != type.ordinal()) {
            throw new AssertionError(
                    "expected " + type + ", but got " + (event == null ? "nothing" : event.getEvent()));
        }
        return event;
    }

    private void start(Completions way, Handler handler) {
        run("disni-cq-" + way, completionThread, () -> takeCompletions(way, handler));
        run("disni-cm", eventThread, () -> {
            expect(events, EventType.RDMA_CM_EVENT_ESTABLISHED).ackEvent();
            established.complete(null);
            RdmaCmEvent event = events.getCmEvent(5 * Deadline.MILLIS);
            if (event == null || event.getEvent() != EventType.RDMA_CM_EVENT_DISCONNECTED.ordinal()) {
                throw new AssertionError("not disconnected: " + (event == null ? "nothing" : event.getEvent()));
            }
            event.ackEvent();
            endHere();
            disconnected.complete(null);
        });
    }

    /** As programs do when the peer has disconnected: until then InfiniBand and RoCE flush nothing. */
    private void endHere() {
        try {
            id.disconnect();
        } catch (IOException e) {
            // it was this side that has begun, or iWARP, where nothing is left to end
        }
    }

    /** A piece of program. */
    interface Body {
        void run() throws Exception;
    }

    static CompletableFuture<Void> run(String name, Body body) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        run(name, end, body);
        return end;
    }

    private static void run(String name, CompletableFuture<Void> end, Body body) {
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                        end.complete(null);
                    } catch (Throwable e) {
                        end.completeExceptionally(e);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void takeCompletions(Completions way, Handler handler) throws Exception {
        IbvWC[] completions = new IbvWC[16];
        for (int i = 0; i < completions.length; i++) {
            completions[i] = new IbvWC();
        }
        SVCPollCq poll = cq.poll(completions, completions.length);
        SVCReqNotify arm = cq.reqNotification(false);
        // Every receive is posted again when it has completed, so all of them are flushed in the end.
        while (flushedReceives < RECEIVE_SLOTS) {
            int n = poll.execute().getPolls();
            if (n == 0 && way == Completions.EVENTS) {
                arm.execute();
                n = poll.execute().getPolls();
                if (n == 0) {
                    if (!completionChannel.getCqEvent(cq, Deadline.MILLIS)) {
                        throw new AssertionError("no completion event in time");
                    }
                    cq.ackEvents(1);
                }
            }
            if (n == 0 && way == Completions.POLLING) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < n; i++) {
                completed(completions[i], handler);
            }
        }
        poll.free();
        arm.free();
    }

    private void completed(IbvWC completion, Handler handler) throws Exception {
        if (completion.getStatus() == FLUSHED) {
            flushedReceives++;
            return;
        }
        if (completion.getStatus() != 0) {
            throw new AssertionError("work request " + completion.getWr_id() + " has status " + completion.getStatus());
        }
        handler.completed(completion);
    }

    static boolean isReceive(IbvWC completion) {
        return completion.getOpcode() == IbvWC.IbvWcOpcode.IBV_WC_RECV.getOpcode();
    }

    /** What a receive got; valid until {@link #receiveAgain}. */
    ByteBuffer received(IbvWC completion) {
        int from = (int) completion.getWr_id() * SLOT_BYTES;
        return receiveMemory
                .duplicate()
                .position(from)
                .limit(from + completion.getByte_len())
                .slice();
    }

    void receiveAgain(IbvWC completion) throws IOException {
        receives[(int) completion.getWr_id()].execute();
    }

    IbvMr register(ByteBuffer memory, int access) throws IOException {
        var call = pd.regMr(memory, access).execute();
        IbvMr region = call.getMr();
        call.free();
        return region;
    }

    static void deregister(IbvMr region) throws IOException {
        region.deregMr().execute().free();
    }

    static LinkedList<IbvSge> entry(IbvMr region, int offset, int length) {
        IbvSge entry = new IbvSge();
        entry.setAddr(region.getAddr() + offset);
        entry.setLength(length);
        entry.setLkey(region.getLkey());
        LinkedList<IbvSge> list = new LinkedList<>();
        list.add(entry);
        return list;
    }

    /** A stateful call of one request, to be changed and executed many times. */
    SVCPostSend call(int opcode, IbvMr region, int length, int remoteKey, long remoteAddress) throws IOException {
        IbvSendWR request = new IbvSendWR();
        request.setWr_id(-1);
        request.setOpcode(opcode);
        request.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
        request.setSg_list(entry(region, 0, length));
        request.setNum_sge(1);
        if (opcode == SEND_WITH_INVALIDATE) {
            request.setImm_data(remoteKey);
        } else {
            request.getRdma().setRkey(remoteKey);
            request.getRdma().setRemote_addr(remoteAddress);
        }
        return qp.postSend(List.of(request), null);
    }

    void awaitDisconnected() throws Exception {
        disconnected.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
        eventThread.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
        completionThread.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
    }

    /** What ended the completion thread early, if anything did. */
    void checkAlive() throws Exception {
        if (completionThread.isDone()) {
            completionThread.get();
        }
    }

    /** Destroys everything but the event channel. */
    void destroy() throws Exception {
        id.destroyQP();
        id.destroyId();
        deregister(receiveRegion);
        cq.destroyCQ();
        completionChannel.destroyCompChannel();
        pd.deallocPd();
    }

    RdmaEventChannel events() {
        return events;
    }
}
