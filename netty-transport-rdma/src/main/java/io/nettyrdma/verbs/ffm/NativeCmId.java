// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCmId;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A connection, a listener, or one of them to be. Ownership: of the C id until {@link #destroy}.
 *
 * <p>Threading: as its event channel; the calls that may hold their caller also by another thread, one at a time.
 */
final class NativeCmId extends RdmaCmId {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(NativeCmId.class);

    private final long pointer;
    private final boolean initiator;
    private volatile NativeEventChannel events;
    private volatile @Nullable String reason;

    @SuppressWarnings("NullAway") // an id has no device before its address is resolved
    private NativeCmId(NativeEventChannel events, long pointer, boolean initiator) throws IOException {
        super(events, null);
        this.events = events;
        this.pointer = pointer;
        this.initiator = initiator;
        ps = PORT_SPACE_TCP;
    }

    private static final int PORT_SPACE_TCP = 0x106;

    /** {@code rdma_create_id}. */
    static NativeCmId create(NativeEventChannel events) throws IOException {
        NativeMemory out = new NativeMemory(Long.BYTES);
        VerbsLibrary.succeed(
                "rdma_create_id",
                () -> (int)
                        VerbsLibrary.RDMA_CREATE_ID.invokeExact(events.pointer(), out.address(), 0L, PORT_SPACE_TCP),
                out);
        NativeCmId id = new NativeCmId(events, out.octets().getLong(0), true);
        LayoutCheck.orUndo(() -> LayoutCheck.id(id.struct(), events.pointer()), id::destroy);
        return added(id);
    }

    /** The id that rdma_cm has made for a connection request. */
    static NativeCmId requested(NativeEventChannel events, long pointer) throws IOException {
        return added(new NativeCmId(events, pointer, false));
    }

    private static NativeCmId added(NativeCmId id) {
        id.events.add(id);
        return id;
    }

    long pointer() {
        return pointer;
    }

    /** {@code struct rdma_cm_id}, as long as the id is open. */
    ByteBuffer struct() {
        return Foreign.get().at(pointer, VerbsLayout.RDMA_CM_ID_BYTES);
    }

    NativeEventChannel events() {
        return events;
    }

    /** Something has happened to it: it may have a device now, or a reason to end. */
    void onEvent(int type) throws IOException {
        if (verbs == null) {
            long context = struct().getLong(VerbsLayout.RDMA_CM_ID_VERBS);
            if (context != 0) {
                setVerbs(events.contexts().of(context));
            }
        }
        if (type == VerbsConstants.CM_DEVICE_REMOVAL) {
            reason = "the RDMA device was removed";
        }
    }

    @Override
    public IbvContext getVerbs() {
        return verbs;
    }

    /** Why it has ended, if that is known. */
    @Nullable
    String reason() {
        return reason;
    }

    void queuePair(NativeQp qp) {
        setQp(qp);
        qp.device().asyncEvents().watch(qp.pointer(), this::end);
    }

    /** Ends the connection because of a failure of its queue pair, which the connection manager does not report. */
    private void end(String why) {
        reason = why;
        events.raise(VerbsConstants.CM_DISCONNECTED, this);
    }

    @Nullable
    NativeQp queuePair() {
        return (NativeQp) qpObj;
    }

    /** Whether it was made here, and not by a connection request of the peer. */
    boolean isInitiator() {
        return initiator;
    }

    /**
     * Sends the peer something that means nothing.
     *
     * @return whether it was sent; {@code false} also if the queue pair is no longer there
     */
    synchronized boolean announce(NativeQp qp) {
        return qpObj == qp && qp.announce();
    }

    /** Brings the queue pair to the error state, if it is still there: another thread may be about to destroy it. */
    synchronized void flush() {
        NativeQp qp = queuePair();
        if (qp != null) {
            try {
                qp.toError();
            } catch (IOException e) {
                logger.debug("the queue pair of a connection that is over is not flushed", e);
            }
        }
    }

    /** {@code rdma_migrate_id}: events come to another channel from now on. */
    void moveTo(NativeEventChannel target) throws IOException {
        NativeEventChannel from = events;
        target.add(this); // before the first event can come
        try {
            VerbsLibrary.succeed(
                    "rdma_migrate_id", () -> (int) VerbsLibrary.RDMA_MIGRATE_ID.invokeExact(pointer, target.pointer()));
        } catch (IOException e) {
            target.remove(this);
            throw e;
        }
        from.remove(this);
        events = target;
        cmChannel = target;
    }

    /** {@code rdma_destroy_qp}. Idempotent. */
    void destroyQueuePair() {
        NativeQp qp = takeQueuePair();
        if (qp != null) {
            qp.device().asyncEvents().unwatch(qp.pointer());
            destroyQueuePairOfC();
        }
    }

    /** Also where there is no object for it. */
    void destroyQueuePairOfC() {
        VerbsLibrary.call(() -> {
            VerbsLibrary.RDMA_DESTROY_QP.invokeExact(pointer);
        });
    }

    /** From now on nothing is posted to it by the loop, which may be another thread. */
    private synchronized @Nullable NativeQp takeQueuePair() {
        NativeQp present = queuePair();
        setQp(null);
        return present;
    }

    /** {@code rdma_destroy_id}, with its queue pair. Idempotent. */
    void destroy() throws IOException {
        if (isOpen()) {
            destroyQueuePair();
            events.remove(this);
            close();
            VerbsLibrary.succeed("rdma_destroy_id", () -> (int) VerbsLibrary.RDMA_DESTROY_ID.invokeExact(pointer));
        }
    }

    @Nullable
    InetSocketAddress source() {
        return address(VerbsLayout.RDMA_CM_ID_ROUTE_ADDR_SRC_ADDR);
    }

    @Nullable
    InetSocketAddress destination() {
        return address(VerbsLayout.RDMA_CM_ID_ROUTE_ADDR_DST_ADDR);
    }

    private @Nullable InetSocketAddress address(int offset) {
        return isOpen() ? SocketAddresses.decode(Foreign.get().at(pointer + offset, SocketAddresses.BYTES)) : null;
    }
}
