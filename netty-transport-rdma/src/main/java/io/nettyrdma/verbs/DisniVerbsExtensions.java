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
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.IdentityHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * {@link VerbsExtensions} over any provider of DiSNI's API, in practice libdisni's: one verb call per work request,
 * helper threads that wait for events, and a refusal, announced by the capabilities, where the API has nothing (private
 * data from the peer, reject, migration of ids, the queue pair's move to error, which a disconnect stands in for).
 *
 * <p>Threading: as {@link VerbsExtensions} says. Each event channel has one waiter thread for CM events and one per
 * attached completion queue; they only enqueue and unpark.
 */
final class DisniVerbsExtensions implements VerbsExtensions {

    // What libdisni's structures carry: four scatter-gather entries; the depths are those every RDMA device offers.
    private static final RdmaCapabilities CAPABILITIES =
            new RdmaCapabilities(false, false, false, false, false, 0, 4, 16, 16_384);

    /** {@code RdmaCm.createEventChannel} of the provider. */
    interface EventChannels {
        @Nullable
        RdmaEventChannel create() throws IOException;
    }

    private final EventChannels channels;
    private final Map<RdmaEventChannel, Loop> loops = new ConcurrentHashMap<>();

    DisniVerbsExtensions(EventChannels channels) {
        this.channels = channels;
    }

    /** The waiting side of one event channel. */
    private static final class Loop {
        final Queue<RdmaCmEvent> cmEvents = new ConcurrentLinkedQueue<>();
        final Map<IbvCQ, EventWaiter> completionWaiters = new IdentityHashMap<>();

        @Nullable
        EventWaiter cmWaiter;

        volatile boolean signalled;
        volatile @Nullable Thread waiting;

        void signal() {
            signalled = true;
            LockSupport.unpark(waiting);
        }
    }

    @Override
    public RdmaCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public RdmaEventChannel openConfinedEventChannel() throws IOException {
        RdmaEventChannel channel = channels.create();
        if (channel == null) {
            throw new IOException("the provider could not create an event channel");
        }
        Loop loop = new Loop();
        loops.put(channel, loop);
        loop.cmWaiter = new EventWaiter(
                "rdma-cm-waiter-" + channel.getFd(),
                () -> {
                    RdmaCmEvent event = channel.getCmEvent(EventWaiter.TURN_MILLIS);
                    if (event != null) {
                        loop.cmEvents.add(event);
                        loop.signal();
                    }
                },
                loop::signal);
        return channel;
    }

    @Override
    public void closeEventChannel(RdmaEventChannel channel) throws IOException {
        Loop loop = loops.remove(channel);
        if (loop == null) {
            return;
        }
        loop.completionWaiters.values().forEach(EventWaiter::close);
        if (loop.cmWaiter != null) {
            loop.cmWaiter.close();
        }
        channel.destroyEventChannel();
    }

    @Override
    public void attach(RdmaEventChannel events, IbvCQ completions) {
        Loop loop = loop(events);
        loop.completionWaiters.put(
                completions,
                new EventWaiter(
                        "rdma-cq-waiter-" + completions.getHandle(),
                        () -> {
                            if (completions.getChannel().getCqEvent(completions, EventWaiter.TURN_MILLIS)) {
                                completions.ackEvents(1);
                                loop.signal();
                            }
                        },
                        loop::signal));
    }

    @Override
    public void checkAttached(RdmaEventChannel events, IbvCQ completions) throws IOException {
        EventWaiter waiter = loop(events).completionWaiters.get(completions);
        Throwable cause = waiter == null ? null : waiter.failure();
        if (cause != null) {
            throw new IOException("the thread that waits for completions has ended", cause);
        }
    }

    @Override
    public void detach(RdmaEventChannel events, IbvCQ completions) {
        EventWaiter waiter = loop(events).completionWaiters.remove(completions);
        if (waiter != null) {
            waiter.close();
        }
    }

    @Override
    @Nullable
    public RdmaCmEvent pollCmEvent(RdmaEventChannel channel) throws IOException {
        Loop loop = loop(channel);
        // Before the queue, or an event that came just before the end would be passed over.
        Throwable cause = loop.cmWaiter == null ? null : loop.cmWaiter.failure();
        RdmaCmEvent event = loop.cmEvents.poll();
        if (event == null && cause != null) {
            throw new IOException("the thread that waits for connection events has ended", cause);
        }
        return event;
    }

    @Override
    public boolean progress(RdmaEventChannel channel) {
        return false; // the device makes progress by itself
    }

    @Override
    public void await(RdmaEventChannel channel, long timeoutNanos) {
        Loop loop = loop(channel);
        loop.waiting = Thread.currentThread();
        if (!loop.signalled && loop.cmEvents.isEmpty()) {
            if (timeoutNanos < 0) {
                LockSupport.park(this);
            } else if (timeoutNanos > 0) {
                LockSupport.parkNanos(this, timeoutNanos);
            }
        }
        loop.signalled = false;
        loop.waiting = null;
    }

    @Override
    public void wakeup(RdmaEventChannel channel) {
        Loop loop = loops.get(channel);
        if (loop != null) {
            loop.signal();
        }
    }

    @Override
    public void postBatch(IbvQP qp, WorkRequestRing requests) throws IOException {
        List<IbvSendWR> list = new LinkedList<>();
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest request = requests.get(i);
            IbvSendWR wr = new IbvSendWR();
            wr.setWr_id(request.id());
            wr.setOpcode(request.opcode());
            wr.setSend_flags(request.flags());
            wr.setSg_list(entries(request));
            wr.setNum_sge(request.sgeCount());
            if (request.opcode() == WorkRequest.OPCODE_SEND_WITH_INVALIDATE) {
                wr.setImm_data(request.remoteKey());
            } else {
                wr.getRdma().setRkey(request.remoteKey());
                wr.getRdma().setRemote_addr(request.remoteAddress());
            }
            list.add(wr);
        }
        qp.postSend(list, List.of()).execute().free();
    }

    @Override
    public void postReceives(IbvQP qp, WorkRequestRing requests) throws IOException {
        List<IbvRecvWR> list = new LinkedList<>();
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest request = requests.get(i);
            IbvRecvWR wr = new IbvRecvWR();
            wr.setWr_id(request.id());
            wr.setSg_list(entries(request));
            wr.setNum_sge(request.sgeCount());
            list.add(wr);
        }
        qp.postRecv(list, List.of()).execute().free();
    }

    private static LinkedList<IbvSge> entries(WorkRequest request) {
        LinkedList<IbvSge> entries = new LinkedList<>();
        for (int i = 0; i < request.sgeCount(); i++) {
            IbvSge sge = new IbvSge();
            sge.setAddr(request.sgeAddress(i));
            sge.setLength(request.sgeLength(i));
            sge.setLkey(request.sgeLocalKey(i));
            entries.add(sge);
        }
        return entries;
    }

    @Override
    @Nullable
    public ConnectionParameters peerParameters(RdmaCmEvent event) {
        return event.getConn() instanceof ConnectionParameters parameters ? parameters : null;
    }

    @Override
    public void reject(RdmaCmId id, byte[] privateData) {
        // libdisni has no rdma_reject. The destruction of the id, which follows, rejects what was never accepted.
    }

    @Override
    public void toError(IbvQP qp) throws IOException {
        // modifyQP is broken in libdisni; the channel's disconnect, which precedes this call, flushes the queues.
    }

    @Override
    public void migrateId(RdmaCmId id, RdmaEventChannel target) throws IOException {
        if (id.getCmChannel() != target) {
            throw new IOException("this provider cannot move a connection to another event loop: use one event loop for"
                    + " parent and children");
        }
    }

    @Override
    @Nullable
    public InetSocketAddress localAddress(RdmaCmId id) {
        return address(id, true);
    }

    @Override
    @Nullable
    public InetSocketAddress remoteAddress(RdmaCmId id) {
        return address(id, false);
    }

    @Nullable
    private static InetSocketAddress address(RdmaCmId id, boolean local) {
        try {
            SocketAddress address = local ? id.getSource() : id.getDestination();
            return address instanceof InetSocketAddress inet ? inet : null;
        } catch (IOException e) {
            return null; // libdisni throws while an id has no address
        }
    }

    @Override
    @Nullable
    public String disconnectReason(RdmaCmId id) {
        return null;
    }

    private Loop loop(RdmaEventChannel channel) {
        Loop loop = loops.get(channel);
        if (loop == null) {
            throw new IllegalStateException("event channel is closed, or was not opened here");
        }
        return loop;
    }
}
