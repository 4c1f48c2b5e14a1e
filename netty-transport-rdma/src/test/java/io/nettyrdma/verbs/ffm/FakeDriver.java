// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.junit.jupiter.api.Assumptions.abort;

import io.nettyrdma.verbs.choice.RdmaProviders;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A device whose driver is written in Java: the structs of C in memory of this JVM, with pointers to functions that C
 * calls and Java answers. Needs Java 22, and the libraries of rdma-core, but nothing that they could find.
 *
 * <p>What holds the memory is this object: to be kept by the test.
 */
final class FakeDriver {

    /** {@code ops.post_send} and {@code ops.post_recv}. */
    interface Post {
        /**
         * @param request the first of the list
         * @return an error number, or 0
         */
        int post(long queuePair, long request) throws Exception;
    }

    /** In the place of {@code ops.poll_cq}. */
    interface Poll {
        /**
         * @param completions the memory to write to
         * @return how many are there
         */
        int poll(int max, ByteBuffer completions) throws IOException;
    }

    private static final String API = "java.lang.foreign.";

    final AtomicReference<Throwable> failure = new AtomicReference<>();
    volatile Post send = (queuePair, request) -> 0;
    volatile Post receive = (queuePair, request) -> 0;
    volatile Poll poll = (max, completions) -> 0;
    private final List<NativeMemory> held = new ArrayList<>();
    final NativeContext context;

    private FakeDriver(int transport, int vendor) throws Exception {
        RdmaProviders.get(); // DiSNI's constructors ask for one
        NativeMemory device = memory(VerbsLayout.IBV_DEVICE_BYTES);
        device.octets().putInt(VerbsLayout.IBV_DEVICE_TRANSPORT_TYPE, transport);
        device.octets().put(VerbsLayout.IBV_DEVICE_NAME, new byte[] {'f', 'a', 'k', 'e', '0'});
        NativeMemory struct = memory(VerbsLayout.IBV_CONTEXT_BYTES);
        long post = function("post", int.class, long.class, long.class, long.class);
        struct.octets()
                .putLong(VerbsLayout.IBV_CONTEXT_DEVICE, device.address())
                .putLong(VerbsLayout.IBV_CONTEXT_OPS_POLL_CQ, post)
                .putLong(VerbsLayout.IBV_CONTEXT_OPS_REQ_NOTIFY_CQ, post)
                .putLong(VerbsLayout.IBV_CONTEXT_OPS_POST_SEND, post)
                .putLong(
                        VerbsLayout.IBV_CONTEXT_OPS_POST_RECV,
                        function("postReceive", int.class, long.class, long.class, long.class))
                .putInt(VerbsLayout.IBV_CONTEXT_CMD_FD, VerbsLibrary.eventFd())
                .putInt(VerbsLayout.IBV_CONTEXT_ASYNC_FD, VerbsLibrary.eventFd());
        context = NativeContext.of(struct.address(), () -> new DeviceLimits(vendor, 1024, 4, 1024, 16, 0, false));
    }

    /** Of RoCE; ends the test as one that cannot run here where there are no libraries. */
    static FakeDriver install() throws Exception {
        requireLibraries();
        return new FakeDriver(0, 0);
    }

    /** Of iWARP. */
    static FakeDriver installIwarp() throws Exception {
        requireLibraries();
        return new FakeDriver(1, 0);
    }

    /** Of siw. */
    static FakeDriver installSiw() throws Exception {
        requireLibraries();
        return new FakeDriver(1, 0x626d74);
    }

    static void requireLibraries() {
        try {
            RdmaCoreLibrary.checkLoad();
        } catch (UnsatisfiedLinkError e) {
            abort(e.getMessage());
        }
    }

    /** A channel whose descriptor can be read from once a test writes to it. */
    NativeCompChannel completionChannel() throws IOException {
        NativeMemory struct = memory(VerbsLayout.IBV_COMP_CHANNEL_BYTES);
        int fd = VerbsLibrary.eventFd();
        struct.octets()
                .putLong(VerbsLayout.IBV_COMP_CHANNEL_CONTEXT, context.pointer())
                .putInt(VerbsLayout.IBV_COMP_CHANNEL_FD, fd);
        return new NativeCompChannel(context, struct.address(), fd);
    }

    NativeMemory memory(int bytes) {
        NativeMemory memory = new NativeMemory(bytes);
        held.add(memory);
        return memory;
    }

    NativeCq queue() throws IOException {
        return queue(null);
    }

    NativeCq queue(@Nullable NativeCompChannel completions) throws IOException {
        return new NativeCq(
                context, completions, memory(VerbsLayout.IBV_CQ_BYTES).address()) {
            // Not by a pointer: functions that are critical may not call Java.
            @Override
            int poll(int asked, NativeMemory out) throws IOException {
                return poll.poll(asked, out.octets());
            }
        };
    }

    /** Of no connection. */
    NativeQp queuePair(NativeCq queue) throws IOException {
        return new NativeQp(
                null, null, queue, queue, memory(VerbsLayout.IBV_QP_BYTES).address());
    }

    static ByteBuffer at(long address, int bytes) {
        return Foreign.get().at(address, bytes);
    }

    /** The ids of a list of requests, as C has it. */
    static List<Long> ids(long first) {
        List<Long> ids = new ArrayList<>();
        for (long at = first; at != 0; at = at(at, 16).getLong(VerbsLayout.IBV_SEND_WR_NEXT)) {
            ids.add(at(at, 16).getLong(VerbsLayout.IBV_SEND_WR_WR_ID));
        }
        return ids;
    }

    /** Writes a completion as C does. */
    static void complete(ByteBuffer completions, int index, long id, int opcode, int immediate, int flags) {
        int at = index * VerbsLayout.IBV_WC_BYTES;
        completions.putLong(at + VerbsLayout.IBV_WC_WR_ID, id);
        completions.putInt(at + VerbsLayout.IBV_WC_STATUS, 0);
        completions.putInt(at + VerbsLayout.IBV_WC_OPCODE, opcode);
        completions.putInt(at + VerbsLayout.IBV_WC_INVALIDATED_RKEY, immediate);
        completions.putInt(at + VerbsLayout.IBV_WC_WC_FLAGS, flags);
    }

    // Called by C, where an exception would end the JVM.

    private int post(long queuePair, long request, long bad) {
        return answer(() -> send.post(queuePair, request));
    }

    private int postReceive(long queuePair, long request, long bad) {
        return answer(() -> receive.post(queuePair, request));
    }

    private interface Answer {
        int give() throws Exception;
    }

    private int answer(Answer answer) {
        try {
            return answer.give();
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
            return 5; // EIO
        }
    }

    /** A pointer to a method of this object, by reflection as in {@link Foreign}. */
    private long function(String method, Class<?> result, Class<?>... parameters) throws Exception {
        Class<?> layout = Class.forName(API + "MemoryLayout");
        Class<?> descriptor = Class.forName(API + "FunctionDescriptor");
        Class<?> linker = Class.forName(API + "Linker");
        Class<?> arena = Class.forName(API + "Arena");
        Class<?> options =
                Array.newInstance(Class.forName(API + "Linker$Option"), 0).getClass();
        Object layouts = Array.newInstance(layout, parameters.length);
        for (int i = 0; i < parameters.length; i++) {
            Array.set(layouts, i, layout(parameters[i]));
        }
        MethodHandle target = MethodHandles.lookup().bind(this, method, MethodType.methodType(result, parameters));
        Object described =
                descriptor.getMethod("of", layout, layouts.getClass()).invoke(null, layout(result), layouts);
        Method stub = linker.getMethod("upcallStub", MethodHandle.class, descriptor, arena, options);
        Object segment = stub.invoke(
                linker.getMethod("nativeLinker").invoke(null),
                target,
                described,
                arena.getMethod("global").invoke(null),
                Array.newInstance(options.getComponentType(), 0));
        return (long) Class.forName(API + "MemorySegment").getMethod("address").invoke(segment);
    }

    private static Object layout(Class<?> type) throws Exception {
        String name = "JAVA_" + type.getName().toUpperCase(Locale.ROOT);
        return Arrays.stream(Class.forName(API + "ValueLayout").getFields())
                .filter(field -> field.getName().equals(name))
                .findAny()
                .orElseThrow()
                .get(null);
    }
}
