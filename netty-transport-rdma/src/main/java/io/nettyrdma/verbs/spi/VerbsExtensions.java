// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.verbs.PrivateDataLimits;
import io.nettyrdma.verbs.RdmaCapabilities;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.nio.channels.Selector;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The functions of a verbs provider that a Netty channel needs and {@code com.ibm.disni.verbs} lacks. A provider
 * implements all of them, and announces by {@link #capabilities()} those that it can only refuse.
 *
 * <p>Threading: a <em>confined</em> event channel, its ids, their queue pairs and the completion queues these use
 * belong to one thread, the event loop, which drives all their I/O by {@link #progress} and {@link #await}. Only {@link
 * #wakeup} may be called from any thread.
 */
public interface VerbsExtensions {

    /**
     * Returns the capabilities that all devices of the provider have, also future ones; valid before a connection has
     * a device.
     */
    RdmaCapabilities capabilities();

    /** Returns the capabilities of a device. Called once per device; some providers' devices do not differ. */
    default RdmaCapabilities capabilities(IbvContext device) {
        return capabilities();
    }

    /**
     * Makes a memory window, if the device has {@link RdmaCapabilities#memoryWindows()}.
     *
     * @throws IOException if the device has no more, or has none
     */
    default MemoryWindow allocateWindow(IbvPd pd) throws IOException {
        throw new IOException("the device has no memory windows; check RdmaCapabilities.memoryWindows() first");
    }

    /**
     * Opens an event channel whose ids do I/O only inside calls of the thread that owns it, never on a thread of the
     * provider.
     *
     * @throws IOException if the system refuses the resources
     */
    RdmaEventChannel openConfinedEventChannel() throws IOException;

    /**
     * Closes an event channel of {@link #openConfinedEventChannel} after its ids are destroyed. Bounded; idempotent.
     */
    void closeEventChannel(RdmaEventChannel channel) throws IOException;

    /**
     * Ties a completion queue, created with a completion channel of its own, to an event channel: from now on {@link
     * #await} on {@code events} also returns for a completion on the armed queue. The provider, never the caller, takes
     * and acknowledges completion events.
     */
    void attach(RdmaEventChannel events, IbvCQ completions) throws IOException;

    /**
     * Makes sure that {@link #await} still notices completions on an attached queue. Called before each wait.
     *
     * @throws IOException if it does not, and never will again; the caller must give the queue up
     */
    void checkAttached(RdmaEventChannel events, IbvCQ completions) throws IOException;

    /** Undoes {@link #attach}; must precede the destruction of the queue. Idempotent. */
    void detach(RdmaEventChannel events, IbvCQ completions) throws IOException;

    /** Returns what takes completions off a queue. Called once per queue. */
    default CompletionPoller poller(IbvCQ completions) throws IOException {
        return new ListedCompletions(completions);
    }

    /**
     * Returns the next CM event of an event channel, in order of arrival. Never waits, and makes no progress by itself.
     * Acknowledge it by {@link RdmaCmEvent#ackEvent()}.
     *
     * @return {@code null} if none has arrived
     * @throws IOException if none can arrive any more; the caller must give the event channel up
     */
    @Nullable
    RdmaCmEvent pollCmEvent(RdmaEventChannel channel) throws IOException;

    /**
     * Does the I/O that is possible without blocking. Fetch resulting CM events by {@link #pollCmEvent} and completions
     * by polling. Does nothing for a device that makes progress by itself.
     *
     * @return whether it did anything
     */
    boolean progress(RdmaEventChannel channel) throws IOException;

    /**
     * Like {@link #progress}, but waits until a CM event arrives, an armed completion queue has an entry, {@link
     * #wakeup} is called, the provider made progress, a channel of the event loop on {@link #selector} is ready, or the
     * time is over. May return early. A wake-up before the wait is not lost.
     *
     * @param timeoutNanos longest wait in nanoseconds; 0 does not wait, negative waits without bound
     */
    void await(RdmaEventChannel channel, long timeoutNanos) throws IOException;

    /**
     * Returns the selector that {@link #progress} and {@link #await} select with. The event loop registers other
     * channels with it, each with a {@link Runnable} as the attachment of its key. The provider runs the attachment
     * each time it finds the key ready, and the attachment leaves the I/O to the event loop.
     *
     * @return {@code null} if the provider waits in another way
     */
    default @Nullable Selector selector(RdmaEventChannel channel) {
        return null;
    }

    /** Returns how many connections of an event channel pass their octets through memory shared with the peer. */
    default int sharedConnections(RdmaEventChannel channel) {
        return 0;
    }

    /** Ends a present or the next {@link #await}. Any thread. */
    void wakeup(RdmaEventChannel channel);

    /**
     * Posts send work requests in order, as one batch. Posting rings the doorbell: a software provider transmits as
     * much as the peer can take before it returns.
     *
     * @throws QueuePairInErrorException if the device refuses requests because the connection is over
     * @throws IOException if a request was refused; none, some or all before it may be posted, so the caller must bring
     *                     the queue pair to error
     */
    void postBatch(IbvQP qp, WorkRequestBatch requests) throws IOException;

    /**
     * Returns the rights, as {@code IbvMr.IBV_ACCESS_*}, that the target of an RDMA Read needs. InfiniBand needs the
     * right to write locally; for iWARP hardware the response is a tagged message like that of an RDMA Write.
     *
     * @param pd the protection domain of the memory
     */
    default int readTargetAccess(IbvPd pd) {
        return IbvMr.IBV_ACCESS_LOCAL_WRITE;
    }

    /** Posts receives in order; errors as {@link #postBatch}. */
    void postReceives(IbvQP qp, WorkRequestBatch requests) throws IOException;

    /**
     * Returns the peer's parameters of a CONNECT_REQUEST, ESTABLISHED or REJECTED event. Depths are from the view of
     * the receiver of the event: this side must hold {@code responderResources} Reads and may have {@code
     * initiatorDepth} outstanding.
     *
     * @return {@code null} if the provider does not know
     */
    @Nullable
    ConnectionParameters peerParameters(RdmaCmEvent event);

    /**
     * Rejects the connection request of {@code id}. The caller destroys the id.
     *
     * @param privateData for the peer, at most {@link PrivateDataLimits#rejectBytes()} bytes
     */
    void reject(RdmaCmId id, byte[] privateData) throws IOException;

    /**
     * Returns a number that grows when the network takes bytes of a queue pair's send requests, or RDMA Reads bring
     * bytes. Always 0 if the provider does not know; then only completions prove that the peer is alive.
     */
    long movedOctets(IbvQP qp);

    /**
     * Returns how many bytes of a region, from the first one on and without a gap, peers have written by RDMA Write
     * since its registration. Whatever is behind them was in the memory before. A device places bytes unseen: memory
     * that a peer may claim to have written is zeroed then, before it is exposed.
     *
     * @param region registered or not any more
     * @return bytes, or -1 if the provider does not know
     */
    default int writtenBytes(IbvMr region) {
        return -1;
    }

    /**
     * Returns whether a request of the send queue that completes with {@code status} was given up because the
     * connection has ended, and its status adds nothing. True for {@code IBV_WC_WR_FLUSH_ERR} on all devices.
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
     * Sets an option of an id's socket, if the provider uses sockets of its own. A later socket gets it when it is
     * made: a listener's before {@code bindAddr} binds it, that of {@code connect} before it connects. An option that
     * the system refuses has no effect.
     *
     * @return whether the provider has such sockets
     */
    default <T> boolean setSocketOption(RdmaCmId id, SocketOption<T> option, T value) {
        return false;
    }

    /**
     * Moves an id from its event channel to another. Only an id of a CONNECT_REQUEST that is not accepted yet can move.
     * The thread of {@code target} calls this, after the thread of the old event channel has handed the id over and
     * stopped using it.
     *
     * @throws RequestGoneException if the peer no longer waits for an answer
     * @throws IOException          if the provider cannot move it
     */
    void migrateId(RdmaCmId id, RdmaEventChannel target) throws IOException;

    /**
     * Returns the executor of the calls that end a connection and may block: {@code disconnect} of an id, and the
     * destruction of its queue pair and itself. A provider whose calls return at once runs them on the calling thread.
     * Any other has threads for them. They may make these calls and those of {@link #connectExecutor()}, one at a time
     * for an id, while the event loop uses everything else.
     */
    Executor callExecutor();

    /**
     * Returns the executor of {@code connect}, and of the destruction of an id that failed to connect and of its queue
     * pair. On siw, connecting returns when TCP has connected (95 s were measured), and destroying waits until the peer
     * has answered the handshake or the kernel has given up. Its threads, if any, are not those of {@link
     * #callExecutor()}: hosts that do not answer must not keep other connections from ending.
     */
    Executor connectExecutor();

    /** Returns the local address of a bound or connected id, or {@code null} if it has none yet. */
    @Nullable
    InetSocketAddress localAddress(RdmaCmId id);

    /** Returns the remote address of an id, or {@code null} if it has none yet. */
    @Nullable
    InetSocketAddress remoteAddress(RdmaCmId id);

    /**
     * Returns why the connection of an id ended or failed, in a sentence for a log or an exception, such as {@code
     * "peer sent Terminate DDP/untagged buffer/no buffer (12 02 c0 00)"}; {@code null} if it did not end, ended in an
     * orderly way (either side's disconnect between two messages), or the provider does not know.
     */
    @Nullable
    String disconnectReason(RdmaCmId id);

    /** Returns whether a connection that has ended without a {@link #disconnectReason} has ended in an orderly way. */
    default boolean knowsReasons() {
        return false;
    }
}
