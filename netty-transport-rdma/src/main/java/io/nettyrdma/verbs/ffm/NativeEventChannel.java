// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * An event channel: where rdma_cm tells what has become of ids, by a descriptor. Events are copied and given back to C
 * at once, because the destruction of an id waits for all of its events.
 *
 * <p>Threading: events are taken by one thread at a time. Ownership: of the C channel.
 */
abstract class NativeEventChannel extends RdmaEventChannel {

    private static final int NO_SERVICE_OF_INFINIBAND = 8; // IB_CM_REJ_INVALID_SERVICE_ID: no listener
    private static final int CONSUMER_REJECT_OF_INFINIBAND = 28; // IB_CM_REJ_CONSUMER_DEFINED: the application's no

    private final NativeContexts contexts;
    private final long pointer;
    private final int fd;
    private final Map<Long, NativeCmId> ids = new ConcurrentHashMap<>();
    /** Events of this side's making. */
    private final Queue<NativeCmEvent> raised = new ConcurrentLinkedQueue<>();

    private final NativeMemory out = new NativeMemory(2 * Long.BYTES);
    private final WakeDescriptor wake = new WakeDescriptor();

    NativeEventChannel(NativeContexts contexts) throws IOException {
        this(contexts, create());
    }

    NativeEventChannel(NativeContexts contexts, long pointer) throws IOException {
        super(Foreign.get()
                .at(pointer, VerbsLayout.RDMA_EVENT_CHANNEL_BYTES)
                .getInt(VerbsLayout.RDMA_EVENT_CHANNEL_FD));
        this.contexts = contexts;
        this.pointer = pointer;
        fd = getFd();
        VerbsLibrary.setNonBlocking(fd);
    }

    /** The first thing that any program does, and so what fails where there is no RDMA. */
    static long create() throws IOException {
        try {
            return VerbsLibrary.pointer(
                    "rdma_create_event_channel", () -> (long) VerbsLibrary.RDMA_CREATE_EVENT_CHANNEL.invokeExact());
        } catch (NativeFailure e) {
            int errno = e.errno();
            String remedy = errno == VerbsLibrary.ENODEV
                    ? "; libibverbs has no driver for a local device (Debian: ibverbs-providers), or the module"
                            + " rdma_ucm is not loaded"
                    : errno == VerbsLibrary.ENOENT || errno == VerbsLibrary.EACCES
                            ? "; this user needs read and write access to /dev/infiniband/rdma_cm"
                            : "";
            throw new IOException(e.getMessage() + remedy, e);
        }
    }

    static void destroy(long pointer) {
        VerbsLibrary.call(() -> {
            VerbsLibrary.RDMA_DESTROY_EVENT_CHANNEL.invokeExact(pointer);
        });
    }

    long pointer() {
        return pointer;
    }

    final int fd() {
        return fd;
    }

    NativeContexts contexts() {
        return contexts;
    }

    void add(NativeCmId id) {
        ids.put(id.pointer(), id);
    }

    void remove(NativeCmId id) {
        ids.remove(id.pointer());
    }

    /** Adds an event that is not the connection manager's. Any thread. */
    void raise(int type, NativeCmId id) {
        try {
            raised.add(new NativeCmEvent(type, 0, null, id, null));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // DiSNI's constructor declares it for others
        }
        wake.wakeup();
    }

    /** Ends the wait of the thread that takes events, also by {@link #raise}. */
    final WakeDescriptor wake() {
        return wake;
    }

    final boolean hasRaised() {
        return !raised.isEmpty();
    }

    /** Idempotent. */
    void destroy() throws IOException {
        if (isOpen()) {
            close();
            wake.close();
            destroy(pointer);
        }
    }

    /**
     * Takes the next event of an id that is still there.
     *
     * @return {@code null} if there is none now
     */
    final @Nullable NativeCmEvent take() throws IOException {
        NativeCmEvent own = raised.poll();
        while (own != null) {
            if (own.getConnIdPriv().isOpen()) {
                return own;
            }
            own = raised.poll();
        }
        while (true) {
            if (!get(out)) {
                return null;
            }
            NativeCmEvent event = copy(out.octets().getLong(0));
            if (event != null) {
                return event;
            }
        }
    }

    /** {@code rdma_get_cm_event}; {@code false} if there is none. */
    boolean get(NativeMemory event) throws IOException {
        int result;
        try {
            result = (int) VerbsLibrary.RDMA_GET_CM_EVENT.invokeExact(pointer, event.address());
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
        if (result != 0) {
            int errno = Foreign.get().errno();
            if (errno != VerbsLibrary.EAGAIN && errno != VerbsLibrary.EINTR) {
                throw VerbsLibrary.failure("rdma_get_cm_event", errno);
            }
        }
        return result == 0;
    }

    /**
     * Copies an event and gives it back, in this order: another thread that destroys the id waits for that, and so the
     * structs of C that the event leads to are there until then.
     *
     * @return {@code null} if the id was destroyed in the meantime
     */
    final @Nullable NativeCmEvent copy(long event) throws IOException {
        NativeCmEvent copied;
        try {
            copied = read(Foreign.get().at(event, VerbsLayout.RDMA_CM_EVENT_BYTES));
        } catch (Throwable e) {
            try {
                acknowledge(event);
            } catch (IOException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
        acknowledge(event);
        return copied;
    }

    /** {@code rdma_ack_cm_event}. */
    void acknowledge(long event) throws IOException {
        VerbsLibrary.succeed("rdma_ack_cm_event", () -> (int) VerbsLibrary.RDMA_ACK_CM_EVENT.invokeExact(event));
    }

    private @Nullable NativeCmEvent read(ByteBuffer struct) throws IOException {
        int type = struct.getInt(VerbsLayout.RDMA_CM_EVENT_EVENT);
        int status = status(type, struct.getInt(VerbsLayout.RDMA_CM_EVENT_STATUS));
        long idPointer = struct.getLong(VerbsLayout.RDMA_CM_EVENT_ID);
        boolean request = type == VerbsConstants.CM_CONNECT_REQUEST;
        NativeCmId listener = request ? ids.get(struct.getLong(VerbsLayout.RDMA_CM_EVENT_LISTEN_ID)) : null;
        ConnectionParameters peer =
                request || type == VerbsConstants.CM_ESTABLISHED || type == VerbsConstants.CM_REJECTED
                        ? parameters(struct)
                        : null;
        NativeCmId id = request ? NativeCmId.requested(this, idPointer) : ids.get(idPointer);
        if (id == null) {
            return null;
        }
        id.onEvent(type);
        return new NativeCmEvent(type, status, listener, id, peer);
    }

    private static ConnectionParameters parameters(ByteBuffer struct) {
        long pointer = struct.getLong(VerbsLayout.RDMA_CM_EVENT_PARAM_CONN_PRIVATE_DATA);
        int length = Byte.toUnsignedInt(struct.get(VerbsLayout.RDMA_CM_EVENT_PARAM_CONN_PRIVATE_DATA_LEN));
        byte[] privateData = new byte[pointer == 0 ? 0 : length];
        if (privateData.length > 0) {
            Foreign.get().at(pointer, length).get(0, privateData);
        }
        return new ConnectionParameters(
                privateData,
                Byte.toUnsignedInt(struct.get(VerbsLayout.RDMA_CM_EVENT_PARAM_CONN_RESPONDER_RESOURCES)),
                Byte.toUnsignedInt(struct.get(VerbsLayout.RDMA_CM_EVENT_PARAM_CONN_INITIATOR_DEPTH)));
    }

    /** Reasons for a rejection, in the numbers that iWARP's have: an errno, negative. */
    private static int status(int type, int status) {
        if (type != VerbsConstants.CM_REJECTED) {
            return status;
        }
        return switch (status) {
            case NO_SERVICE_OF_INFINIBAND -> VerbsConstants.ECONNREFUSED;
            case CONSUMER_REJECT_OF_INFINIBAND -> VerbsConstants.ECONNRESET;
            default -> status;
        };
    }
}
