// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import io.nettyrdma.internal.CallThreads;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * {@link VerbsExtensions} over any provider of DiSNI's API, in practice libdisni's: one verb call per work request,
 * helper threads that wait for events, and a refusal, announced by the capabilities, where the API has nothing (private
 * data from the peer, reject, the queue pair's move to error, which a disconnect stands in for).
 *
 * <p>Threading: as {@link VerbsExtensions} says. One thread waits for the connection events of all loops, and one for
 * each attached completion queue; they only enqueue and unpark.
 */
final class DisniVerbsExtensions implements VerbsExtensions {

    // What libdisni's structures carry: four scatter-gather entries. It tells no depths.
    private static final RdmaCapabilities CAPABILITIES =
            RdmaCapabilities.builder().maxReadsInFlight(16).build();

    /** {@code RdmaCm.createEventChannel} of the provider. */
    interface EventChannels {
        @Nullable
        RdmaEventChannel create() throws IOException;
    }

    private final EventChannels channels;
    private final Map<RdmaEventChannel, DisniEventChannel> loops = new ConcurrentHashMap<>();
    /** The connection of each queue pair. */
    private final Map<IbvQP, DisniCmId> queuePairs = Collections.synchronizedMap(new IdentityHashMap<>());
    /** Of the loops to come; guarded by this. */
    private @Nullable SharedEventChannel shared;

    DisniVerbsExtensions(EventChannels channels) {
        this.channels = channels;
    }

    @Override
    public RdmaCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public synchronized RdmaEventChannel openConfinedEventChannel() throws IOException {
        SharedEventChannel present = shared;
        if (present == null || present.failure() != null) { // which its loops go on being told of
            RdmaEventChannel channel = channels.create();
            if (channel == null) {
                throw new IOException("the provider could not create an event channel");
            }
            present = new SharedEventChannel(channel, queuePairs);
            shared = present;
        }
        DisniEventChannel loop = present.open();
        loops.put(loop, loop);
        return loop;
    }

    @Override
    public synchronized void closeEventChannel(RdmaEventChannel channel) throws IOException {
        DisniEventChannel loop = loops.remove(channel);
        if (loop == null) {
            return;
        }
        SharedEventChannel left = loop.shared();
        try {
            left.close(loop);
        } finally {
            if (left.isUnused()) {
                if (shared == left) {
                    shared = null;
                }
                left.destroy();
            }
        }
    }

    @Override
    public void attach(RdmaEventChannel events, IbvCQ completions) {
        loop(events).attach(completions);
    }

    @Override
    public void checkAttached(RdmaEventChannel events, IbvCQ completions) throws IOException {
        loop(events).checkAttached(completions);
    }

    @Override
    public void detach(RdmaEventChannel events, IbvCQ completions) {
        loop(events).detach(completions);
    }

    @Override
    @Nullable
    public RdmaCmEvent pollCmEvent(RdmaEventChannel channel) throws IOException {
        return loop(channel).poll();
    }

    @Override
    public boolean progress(RdmaEventChannel channel) {
        return false; // the device makes progress by itself
    }

    @Override
    public void await(RdmaEventChannel channel, long timeoutNanos) {
        loop(channel).await(timeoutNanos);
    }

    @Override
    public void wakeup(RdmaEventChannel channel) {
        DisniEventChannel loop = loops.get(channel);
        if (loop != null) {
            loop.signal();
        }
    }

    @Override
    public void postBatch(IbvQP qp, WorkRequestBatch requests) throws IOException {
        if (requests.size() == 0) {
            return; // libdisni's calls have a first request
        }
        List<IbvSendWR> list = new LinkedList<>();
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest request = requests.get(i);
            IbvSendWR wr = new IbvSendWR();
            wr.setWr_id(request.id());
            wr.setOpcode(request.opcode());
            wr.setSend_flags(request.flags());
            wr.setSg_list(entries(request));
            wr.setNum_sge(wr.getSg_list().size());
            if (request.opcode() == VerbsConstants.WR_SEND_WITH_INV) {
                wr.setImm_data(request.remoteKey());
            } else {
                wr.getRdma().setRkey(request.remoteKey());
                wr.getRdma().setRemote_addr(request.remoteAddress());
            }
            list.add(wr);
        }
        SVCPostSend call = qp.postSend(list, List.of());
        try {
            call.execute();
        } finally {
            call.free(); // its command buffer
        }
    }

    @Override
    public void postReceives(IbvQP qp, WorkRequestBatch requests) throws IOException {
        if (requests.size() == 0) {
            return; // libdisni's calls have a first request
        }
        List<IbvRecvWR> list = new LinkedList<>();
        for (int i = 0; i < requests.size(); i++) {
            WorkRequest request = requests.get(i);
            IbvRecvWR wr = new IbvRecvWR();
            wr.setWr_id(request.id());
            wr.setSg_list(entries(request));
            wr.setNum_sge(wr.getSg_list().size());
            list.add(wr);
        }
        SVCPostRecv call = qp.postRecv(list, List.of());
        try {
            call.execute();
        } finally {
            call.free(); // its command buffer
        }
    }

    private static LinkedList<IbvSge> entries(WorkRequest request) {
        LinkedList<IbvSge> entries = new LinkedList<>();
        if (request.lengthBytes() > 0) {
            IbvSge sge = new IbvSge();
            sge.setAddr(request.localAddress());
            sge.setLength(request.lengthBytes());
            sge.setLkey(request.localKey());
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
        // libdisni's modifyQP is broken. What a disconnect says to this does not matter: InfiniBand and RoCE flush the
        // queues whatever it is, iWARP only those of a connection that was made.
        DisniCmId id = queuePairs.get(qp);
        if (id == null) {
            throw new IOException("the queue pair belongs to no connection");
        }
        callExecutor().execute(id::endQuietly); // a disconnect may hold its caller
    }

    /** Devices of both kinds are behind libdisni, and it does not tell which. */
    @Override
    public int readTargetAccess(IbvPd pd) {
        return IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE;
    }

    @Override
    public void migrateId(RdmaCmId id, RdmaEventChannel target) throws IOException {
        DisniEventChannel loop = loop(target);
        DisniCmId moving = id(id);
        if (moving.shared() != loop.shared()) { // one of them outlives a failure that the other has not seen
            throw new IOException("a connection cannot move to an event loop that has another event channel");
        }
        moving.moveTo(loop);
    }

    private static DisniCmId id(RdmaCmId id) {
        if (!(id instanceof DisniCmId known)) {
            throw new IllegalArgumentException("not an id of this provider: " + id);
        }
        return known;
    }

    @Override
    public long movedOctets(IbvQP qp) {
        return 0;
    }

    @Override
    public Executor callExecutor() {
        return CallThreads.ENDS;
    }

    @Override
    public Executor connectExecutor() {
        return CallThreads.CONNECTS;
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
        return id(id).reason();
    }

    private DisniEventChannel loop(RdmaEventChannel channel) {
        DisniEventChannel loop = loops.get(channel);
        if (loop == null) {
            throw new IllegalStateException("event channel is closed, or was not opened here");
        }
        return loop;
    }
}
