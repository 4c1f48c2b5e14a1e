// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a device says without having been asked ({@code ibv_get_async_event}): that a queue pair or a completion queue
 * has failed, that it has failed itself, that a port is down. There is one such source for each device, and whichever
 * event loop looks first takes what is there, also for the others.
 *
 * <p>Threading: any; a target is told on the thread that has taken the event.
 */
class AsyncEvents {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(AsyncEvents.class);

    // enum ibv_event_type
    private static final int CQ_ERR = 0;
    static final int QP_FATAL = 1;
    static final int QP_REQ_ERR = 2;
    private static final int QP_ACCESS_ERR = 3;
    private static final int DEVICE_FATAL = 8;
    private static final int PORT_ACTIVE = 9;
    private static final int PORT_ERR = 10;

    /** A queue pair or a completion queue that is watched. */
    @FunctionalInterface
    interface Target {
        /**
         * It has failed. Called by the thread that has taken the event, which need not be the target's.
         *
         * @param what the event and what it means
         */
        void onFailed(String what);
    }

    private final long context;
    private final String device;
    private final boolean siw;
    private final int fd;
    private final Map<Long, Target> targets = new ConcurrentHashMap<>();
    private volatile boolean over;

    /**
     * @param context {@code struct ibv_context *}
     * @param device  such as {@code siw0}
     * @param siw     whether it is the kernel's siw
     * @param fd      its {@code async_fd}, which reads without waiting
     */
    AsyncEvents(long context, String device, boolean siw, int fd) {
        this.context = context;
        this.device = device;
        this.siw = siw;
        this.fd = fd;
    }

    /** Can be read from when there is something to {@link #take}. */
    int fd() {
        return fd;
    }

    /** Whether nothing will come any more. */
    boolean isOver() {
        return over;
    }

    /**
     * Reports the failure of a queue pair or a completion queue to {@code target}.
     *
     * @param element {@code struct ibv_qp *} or {@code struct ibv_cq *}
     */
    void watch(long element, Target target) {
        targets.put(element, target);
    }

    /** To be called before the element is destroyed: another may get its address. */
    void unwatch(long element) {
        targets.remove(element);
    }

    void take() {
        NativeMemory event = new NativeMemory(VerbsLayout.IBV_ASYNC_EVENT_BYTES);
        while (!over && get(event)) {
            int type = event.octets().getInt(VerbsLayout.IBV_ASYNC_EVENT_EVENT_TYPE);
            long element = event.octets().getLong(VerbsLayout.IBV_ASYNC_EVENT_ELEMENT);
            try {
                on(type, element);
            } finally {
                // Last: the element's destruction waits for it, and afterwards another may have its address.
                acknowledge(event);
            }
        }
    }

    /** {@code ibv_ack_async_event}. */
    void acknowledge(NativeMemory event) {
        VerbsLibrary.call(() -> {
            VerbsLibrary.IBV_ACK_ASYNC_EVENT.invokeExact(event.address());
        });
    }

    /** {@code ibv_get_async_event}; {@code false} if there is none. */
    boolean get(NativeMemory event) {
        int result;
        try {
            result = (int) VerbsLibrary.IBV_GET_ASYNC_EVENT.invokeExact(context, event.address());
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
        if (result != 0) {
            int errno = Foreign.get().errno();
            if (errno != VerbsLibrary.EAGAIN && errno != VerbsLibrary.EINTR) {
                over(VerbsLibrary.failure("ibv_get_async_event", errno));
            }
        }
        return result == 0;
    }

    /** The kernel has taken the device away, and all that lives on it. */
    private void over(IOException cause) {
        over = true;
        tellAll("RDMA device " + device + " is gone: " + cause.getMessage());
    }

    /**
     * Reports an event.
     *
     * @param type    of {@code enum ibv_event_type}
     * @param element the queue pair, the completion queue or the number of the port
     */
    void on(int type, long element) {
        if (siw && SiwQuirks.isRaisedByClose(type)) {
            logger.debug("RDMA device {} reports event {}, perhaps because a peer has closed", device, type);
            return;
        }
        Target target = targets.get(element);
        switch (type) {
            case QP_FATAL -> tell(target, "IBV_EVENT_QP_FATAL: the device has given the queue pair up");
            case QP_REQ_ERR -> tell(target, "IBV_EVENT_QP_REQ_ERR: the peer has sent an invalid request");
            case QP_ACCESS_ERR ->
                tell(target, "IBV_EVENT_QP_ACCESS_ERR: the peer has accessed memory without the right");
            case CQ_ERR -> tell(target, "IBV_EVENT_CQ_ERR: the completion queue has failed, mostly by an overrun");
            case DEVICE_FATAL -> tellAll("IBV_EVENT_DEVICE_FATAL: RDMA device " + device + " has failed");
            // By its number, an int: the other half of the union's octets says nothing.
            case PORT_ERR -> logger.warn("port {} of RDMA device {} is down", (int) element, device);
            case PORT_ACTIVE -> logger.info("port {} of RDMA device {} is up", (int) element, device);
            default -> logger.debug("RDMA device {} reports event {}", device, type);
        }
    }

    private static void tell(@Nullable Target target, String what) {
        if (target != null) {
            target.onFailed(what);
        }
    }

    private void tellAll(String what) {
        targets.values().forEach(target -> target.onFailed(what));
    }
}
