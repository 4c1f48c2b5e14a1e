// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A completion channel: where armed completion queues tell of completions, by a descriptor that can be waited for.
 *
 * <p>Threading: any; events are taken by one thread at a time.
 */
final class NativeCompChannel extends IbvCompChannel {

    private final long pointer;
    private final int fd;
    private final NativeContext device;
    private volatile Runnable waiter = () -> {};
    /** Replaced by each change. Few, mostly one: an event is looked up without allocating anything. */
    private volatile NativeCq[] completionQueues = {};

    NativeCompChannel(NativeContext context, long pointer, int fd) throws IOException {
        super(fd, context);
        this.pointer = pointer;
        this.fd = fd;
        device = context;
    }

    /** A channel whose events are taken without waiting. */
    static NativeCompChannel create(NativeContext context) throws IOException {
        long pointer = VerbsLibrary.pointer("ibv_create_comp_channel", () ->
                (long) VerbsLibrary.IBV_CREATE_COMP_CHANNEL.invokeExact(context.pointer()));
        ByteBuffer struct = Foreign.get().at(pointer, VerbsLayout.IBV_COMP_CHANNEL_BYTES);
        LayoutCheck.orUndo(
                () -> LayoutCheck.completionChannel(struct, context.pointer(), VerbsLibrary::isOpen),
                () -> destroy(pointer));
        int fd = struct.getInt(VerbsLayout.IBV_COMP_CHANNEL_FD);
        VerbsLibrary.setNonBlocking(fd);
        return new NativeCompChannel(context, pointer, fd);
    }

    long pointer() {
        return pointer;
    }

    int fd() {
        return fd;
    }

    NativeContext device() {
        return device;
    }

    /** Sets the call that wakes up the event loop that waits for events of this channel. */
    void waiter(Runnable wakeup) {
        waiter = wakeup;
    }

    /** Something that those who poll have to hear of has happened to one of its queues. */
    void wakeup() {
        waiter.run();
    }

    /** It tells of nothing any more. */
    void fail(String reason) {
        for (NativeCq queue : completionQueues) {
            queue.fail(reason);
        }
    }

    synchronized void add(NativeCq queue) {
        NativeCq[] more = Arrays.copyOf(completionQueues, completionQueues.length + 1);
        more[completionQueues.length] = queue;
        completionQueues = more;
    }

    synchronized void remove(NativeCq queue) {
        completionQueues =
                Arrays.stream(completionQueues).filter(other -> other != queue).toArray(NativeCq[]::new);
    }

    /** @param queuePointer {@code struct ibv_cq *} */
    @Nullable
    NativeCq queue(long queuePointer) {
        for (NativeCq queue : completionQueues) {
            if (queue.pointer() == queuePointer) {
                return queue;
            }
        }
        return null;
    }

    /**
     * Takes one event.
     *
     * @param out 16 octets of the caller's for C to write to
     * @return whether there was one
     */
    boolean takeEvent(NativeMemory out) throws IOException {
        int result;
        try {
            result =
                    (int) VerbsLibrary.IBV_GET_CQ_EVENT.invokeExact(pointer, out.address(), out.address() + Long.BYTES);
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
        if (result != 0) {
            int errno = Foreign.get().errno();
            if (errno == VerbsLibrary.EAGAIN || errno == VerbsLibrary.EINTR) {
                return false;
            }
            throw VerbsLibrary.failure("ibv_get_cq_event", errno);
        }
        NativeCq queue = queue(out.octets().getLong(0));
        if (queue != null) {
            queue.onEvent();
        }
        return true;
    }

    /** Idempotent. */
    void destroy() throws IOException {
        if (isOpen()) {
            destroy(pointer);
            close();
        }
    }

    private static void destroy(long pointer) throws IOException {
        VerbsLibrary.succeed(
                "ibv_destroy_comp_channel", () -> (int) VerbsLibrary.IBV_DESTROY_COMP_CHANNEL.invokeExact(pointer));
    }
}
