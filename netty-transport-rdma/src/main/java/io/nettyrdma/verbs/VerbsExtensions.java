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
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Everything a Netty channel needs of a verbs provider that {@code com.ibm.disni.verbs} does not offer. Complete: a
 * provider implements all of it, and announces by {@link #capabilities()} what it can only refuse.
 *
 * <p>Threading: a <em>confined</em> event channel, its ids, their queue pairs and the completion queues these use
 * belong to one thread, the event loop, which drives all their I/O by {@link #progress} and {@link #await}. Only
 * {@link #wakeup} may be called from any thread.
 */
public interface VerbsExtensions {

    /** What every device of the provider can do, or will be able to: what is known before a connection has one. */
    RdmaCapabilities capabilities();

    /** What a device can do. Asked once for each; not every provider's devices differ. */
    default RdmaCapabilities capabilities(IbvContext device) {
        return capabilities();
    }

    /**
     * Makes a memory window, if {@link RdmaCapabilities#memoryWindows()} says so.
     *
     * @throws IOException if the device has no more, or has none
     */
    default MemoryWindow allocateWindow(IbvPd pd) throws IOException {
        throw new IOException("there are no memory windows");
    }

    /**
     * Opens an event channel whose ids do I/O only inside calls made by the opening thread's owner, never on a thread
     * of the provider.
     *
     * @throws IOException if the system refuses the resources
     */
    RdmaEventChannel openConfinedEventChannel() throws IOException;

    /**
     * Closes an event channel opened by {@link #openConfinedEventChannel}, whose ids were destroyed before. Bounded;
     * idempotent.
     */
    void closeEventChannel(RdmaEventChannel channel) throws IOException;

    /**
     * Ties a completion queue, created with a completion channel of its own, to an event channel: from now on
     * {@link #await} on {@code events} also returns for a completion on the armed queue. Completion events are taken
     * and acknowledged by the provider, never by the caller.
     */
    void attach(RdmaEventChannel events, IbvCQ completions) throws IOException;

    /**
     * Makes sure that {@link #await} still notices completions on an attached queue. Called before each wait.
     *
     * @throws IOException if it does not, and never will again; the queue has to be given up
     */
    void checkAttached(RdmaEventChannel events, IbvCQ completions) throws IOException;

    /** Undoes {@link #attach}; must precede the destruction of the queue. Idempotent. */
    void detach(RdmaEventChannel events, IbvCQ completions) throws IOException;

    /**
     * The next CM event of an event channel, in the order of their arrival. Never waits, and never makes progress by
     * itself. Acknowledge it by {@link RdmaCmEvent#ackEvent()}.
     *
     * @return {@code null} if there is none
     * @throws IOException if there will be none any more; the event channel has to be given up
     */
    @Nullable
    RdmaCmEvent pollCmEvent(RdmaEventChannel channel) throws IOException;

    /**
     * Does whatever I/O is possible without blocking. CM events and completions that result are fetched by
     * {@link #pollCmEvent} and by polling. Nothing to do for a device that makes
     * progress by itself.
     *
     * @return whether anything was done
     */
    boolean progress(RdmaEventChannel channel) throws IOException;

    /**
     * Like {@link #progress}, but waits until a CM event is there, an armed completion queue has an entry,
     * {@link #wakeup} is called, the provider made progress, or the time is over. May return early. A wake-up that
     * comes before the wait is not lost.
     *
     * @param timeoutNanos longest wait in nanoseconds; 0 does not wait, negative waits without bound
     */
    void await(RdmaEventChannel channel, long timeoutNanos) throws IOException;

    /** Ends a present or the next {@link #await}. Any thread. */
    void wakeup(RdmaEventChannel channel);

    /**
     * Posts send work requests in order, as one batch. Posting rings the doorbell: a software provider transmits what
     * the peer can take before it returns.
     *
     * @throws IOException if a request was refused; none, some or all before it may have been posted, so the caller
     *                     has to bring the queue pair to error
     */
    void postBatch(IbvQP qp, WorkRequestBatch requests) throws IOException;

    /**
     * The rights, as {@code IbvMr.IBV_ACCESS_*}, that memory needs to be the target of an RDMA Read. InfiniBand takes
     * the right to write locally; to iWARP hardware the response is a tagged message like that of an RDMA Write.
     */
    default int readTargetAccess() {
        return IbvMr.IBV_ACCESS_LOCAL_WRITE;
    }

    /** Posts receives in order; errors as {@link #postBatch}. */
    void postReceives(IbvQP qp, WorkRequestBatch requests) throws IOException;

    /**
     * The peer's parameters that came with a CONNECT_REQUEST, ESTABLISHED or REJECTED event. Depths are given from
     * the view of the receiver of the event: {@code responderResources} is what this side has to hold,
     * {@code initiatorDepth} what it may have outstanding.
     *
     * @return {@code null} if the provider cannot tell
     */
    @Nullable
    ConnectionParameters peerParameters(RdmaCmEvent event);

    /**
     * Rejects the connection request that {@code id} came with, and leaves the id to be destroyed.
     *
     * @param privateData for the peer, at most {@link PrivateDataLimits#rejectBytes()} octets
     */
    void reject(RdmaCmId id, byte[] privateData) throws IOException;

    /**
     * A number that grows whenever octets of a queue pair's send requests move: those that the network takes, and those
     * that RDMA Reads bring. Always 0 if the provider cannot tell; then only completions show that a peer is there.
     */
    long movedOctets(IbvQP qp);

    /**
     * Whether a request of the send queue that completes with {@code status} was given up because the connection has
     * ended, so that whoever knows why it has ended knows all; {@code IBV_WC_WR_FLUSH_ERR} says so everywhere.
     *
     * @param status {@code IBV_WC_*}
     */
    default boolean isFlushed(IbvQP qp, int status) {
        return status == VerbsConstants.WC_WR_FLUSH_ERR;
    }

    /**
     * Brings a queue pair to the error state: every posted request completes once, those not yet done with
     * {@code IBV_WC_WR_FLUSH_ERR}, and the connection is torn down. Idempotent.
     */
    void toError(IbvQP qp) throws IOException;

    /**
     * Moves an id from the event channel it belongs to, to another. Only an id that came with a CONNECT_REQUEST and
     * was not yet accepted can move. Called by the thread of {@code target}, after the thread of the old event
     * channel has handed the id over and stopped using it.
     *
     * @throws RequestGoneException if there is nobody to answer any more
     * @throws IOException          if the provider cannot move it
     */
    void migrateId(RdmaCmId id, RdmaEventChannel target) throws IOException;

    /**
     * Where the calls are made that may hold their caller: {@code connect} and {@code disconnect} of an id, and the
     * destruction of its queue pair and itself. On siw, connecting returns when TCP has connected, which was seen to
     * take 95 s, and destroying waits for that. A provider whose calls return at once makes them on the calling thread;
     * any other has threads for them, which may make these four calls, one at a time for an id, while the event loop
     * uses everything else.
     */
    Executor callExecutor();

    /** Local address of a bound or connected id, or {@code null} if there is none yet. */
    @Nullable
    InetSocketAddress localAddress(RdmaCmId id);

    /** Remote address of an id, or {@code null} if there is none yet. */
    @Nullable
    InetSocketAddress remoteAddress(RdmaCmId id);

    /**
     * Why the connection of an id ended or could not be made, in a sentence for a log or an exception, such as
     * {@code "peer sent Terminate DDP/untagged buffer/no buffer (12 02 c0 00)"}; {@code null} if it did not end, ended
     * in an orderly way (either side's disconnect between two messages), or the provider cannot tell.
     */
    @Nullable
    String disconnectReason(RdmaCmId id);
}
