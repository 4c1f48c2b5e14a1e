// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static java.lang.invoke.MethodType.methodType;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The functions of libibverbs, librdmacm and the C library that this provider calls, each named after its own. Pointers
 * are {@code long}, a {@code uint8_t} is a {@code byte}. All are made when the first is used, which takes some tenths
 * of a second.
 *
 * <p>Those of libibverbs that no library exports, because headers define them, are called through pointers in {@code
 * struct ibv_context}; they answer with an error number, positive or negative as the driver likes, and leave {@code
 * errno} alone.
 *
 * <p>Threading: any.
 */
final class VerbsLibrary {

    private static final Foreign FOREIGN = Foreign.get();

    private static final Class<?> INT = int.class;
    private static final Class<?> LONG = long.class;
    private static final Class<?> BYTE = byte.class;
    private static final Class<?> VOID = void.class;

    private static final RdmaCoreLibrary VERBS = RdmaCoreLibrary.load(RdmaCoreLibrary.VERBS);
    private static final RdmaCoreLibrary CM = RdmaCoreLibrary.load(RdmaCoreLibrary.CM);

    static final MethodHandle RDMA_CREATE_EVENT_CHANNEL = CM.function("rdma_create_event_channel", LONG);
    static final MethodHandle RDMA_DESTROY_EVENT_CHANNEL = CM.function("rdma_destroy_event_channel", VOID, LONG);
    static final MethodHandle RDMA_CREATE_ID = CM.function("rdma_create_id", INT, LONG, LONG, LONG, INT);
    static final MethodHandle RDMA_DESTROY_ID = CM.function("rdma_destroy_id", INT, LONG);
    static final MethodHandle RDMA_BIND_ADDR = CM.function("rdma_bind_addr", INT, LONG, LONG);
    static final MethodHandle RDMA_LISTEN = CM.function("rdma_listen", INT, LONG, INT);
    static final MethodHandle RDMA_RESOLVE_ADDR = CM.function("rdma_resolve_addr", INT, LONG, LONG, LONG, INT);
    static final MethodHandle RDMA_RESOLVE_ROUTE = CM.function("rdma_resolve_route", INT, LONG, INT);
    static final MethodHandle RDMA_CREATE_QP = CM.function("rdma_create_qp", INT, LONG, LONG, LONG);
    static final MethodHandle RDMA_DESTROY_QP = CM.function("rdma_destroy_qp", VOID, LONG);
    static final MethodHandle RDMA_CONNECT = CM.function("rdma_connect", INT, LONG, LONG);
    static final MethodHandle RDMA_ACCEPT = CM.function("rdma_accept", INT, LONG, LONG);
    static final MethodHandle RDMA_REJECT = CM.function("rdma_reject", INT, LONG, LONG, BYTE);
    static final MethodHandle RDMA_DISCONNECT = CM.function("rdma_disconnect", INT, LONG);
    static final MethodHandle RDMA_GET_CM_EVENT = CM.function("rdma_get_cm_event", INT, LONG, LONG);
    static final MethodHandle RDMA_ACK_CM_EVENT = CM.function("rdma_ack_cm_event", INT, LONG);
    static final MethodHandle RDMA_MIGRATE_ID = CM.function("rdma_migrate_id", INT, LONG, LONG);

    static final MethodHandle IBV_GET_DEVICE_NAME = VERBS.function("ibv_get_device_name", LONG, LONG);
    static final MethodHandle IBV_ALLOC_PD = VERBS.function("ibv_alloc_pd", LONG, LONG);
    static final MethodHandle IBV_DEALLOC_PD = VERBS.function("ibv_dealloc_pd", INT, LONG);
    static final MethodHandle IBV_REG_MR = VERBS.function("ibv_reg_mr", LONG, LONG, LONG, LONG, INT);
    static final MethodHandle IBV_DEREG_MR = VERBS.function("ibv_dereg_mr", INT, LONG);
    static final MethodHandle IBV_CREATE_COMP_CHANNEL = VERBS.function("ibv_create_comp_channel", LONG, LONG);
    static final MethodHandle IBV_DESTROY_COMP_CHANNEL = VERBS.function("ibv_destroy_comp_channel", INT, LONG);
    static final MethodHandle IBV_CREATE_CQ = VERBS.function("ibv_create_cq", LONG, LONG, INT, LONG, LONG, INT);
    static final MethodHandle IBV_DESTROY_CQ = VERBS.function("ibv_destroy_cq", INT, LONG);
    static final MethodHandle IBV_GET_CQ_EVENT = VERBS.function("ibv_get_cq_event", INT, LONG, LONG, LONG);
    static final MethodHandle IBV_ACK_CQ_EVENTS = VERBS.function("ibv_ack_cq_events", VOID, LONG, INT);
    static final MethodHandle IBV_MODIFY_QP = VERBS.function("ibv_modify_qp", INT, LONG, LONG, INT);
    static final MethodHandle IBV_QUERY_DEVICE = VERBS.function("ibv_query_device", INT, LONG, LONG);
    static final MethodHandle IBV_GET_ASYNC_EVENT = VERBS.function("ibv_get_async_event", INT, LONG, LONG);
    static final MethodHandle IBV_ACK_ASYNC_EVENT = VERBS.function("ibv_ack_async_event", VOID, LONG);

    static final MethodHandle PPOLL = system("ppoll", INT, LONG, LONG, LONG, LONG);
    static final MethodHandle EVENTFD = system("eventfd", INT, INT, INT);
    static final MethodHandle READ = system("read", LONG, INT, LONG, LONG);
    static final MethodHandle WRITE = system("write", LONG, INT, LONG, LONG);
    static final MethodHandle CLOSE = system("close", INT, INT);
    static final MethodHandle STRERROR = system("strerror", LONG, INT);
    private static final MethodHandle FCNTL =
            FOREIGN.variadic(FOREIGN.systemLibrary(), "fcntl", methodType(INT, INT, INT, INT), 2);

    // Through a pointer, which comes first.

    /** {@code ops.poll_cq(cq, num_entries, wc)}: stays in user space, so no thread waits for it. */
    static final MethodHandle POLL_CQ = FOREIGN.pointer(methodType(INT, LONG, INT, LONG), true);

    /** {@code ops.req_notify_cq(cq, solicited_only)}. */
    static final MethodHandle REQ_NOTIFY_CQ = FOREIGN.pointer(methodType(INT, LONG, INT), false);

    /** {@code ops.alloc_mw(pd, type)}. */
    static final MethodHandle ALLOC_MW = FOREIGN.pointer(methodType(LONG, LONG, INT), false);

    /** {@code ops.dealloc_mw(mw)}. */
    static final MethodHandle DEALLOC_MW = FOREIGN.pointer(methodType(INT, LONG), false);

    /** {@code ops.post_send(qp, wr, bad_wr)} and {@code ops.post_recv}. */
    static final MethodHandle POST = FOREIGN.pointer(methodType(INT, LONG, LONG, LONG), false);

    // <asm-generic/errno-base.h>, <asm-generic/errno.h>
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EACCES = 13;
    static final int ENODEV = 19;
    static final int EADDRINUSE = 98;
    static final int EADDRNOTAVAIL = 99;
    static final int ECONNREFUSED = 111;

    // <sys/eventfd.h>, <fcntl.h>, the same on x86-64 and aarch64
    private static final int EFD_CLOEXEC_NONBLOCK = 0x80800;
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;

    private static final int MAX_ERROR_BYTES = 256;

    private VerbsLibrary() {}

    private static MethodHandle system(String name, Class<?> result, Class<?>... parameters) {
        return FOREIGN.function(FOREIGN.systemLibrary(), name, methodType(result, parameters));
    }

    /** What has gone wrong in the function that this thread has called last, which tells by {@code errno}. */
    static NativeFailure failure(String what) {
        return failure(what, FOREIGN.errno());
    }

    /** What has gone wrong, by an error number of either sign. */
    static NativeFailure failure(String what, int errno) {
        int number = Math.abs(errno);
        return new NativeFailure(what + ": " + describe(number), number);
    }

    /** The C library's words for an error number, and the number. */
    static String describe(int errno) {
        try {
            ByteBuffer text = FOREIGN.at((long) STRERROR.invokeExact(errno), MAX_ERROR_BYTES);
            int length = 0;
            while (length < MAX_ERROR_BYTES && text.get(length) != 0) {
                length++;
            }
            byte[] octets = new byte[length];
            text.get(0, octets);
            return new String(octets, StandardCharsets.UTF_8) + " (errno " + errno + ')';
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** A call of one function that answers with a number. */
    interface IntCall {
        int make() throws Throwable;
    }

    /** A call of one function that answers with a pointer. */
    interface PointerCall {
        long make() throws Throwable;
    }

    /** A call of one function that answers with nothing. */
    interface VoidCall {
        void make() throws Throwable;
    }

    /**
     * Makes a call that has to answer 0. Those of librdmacm answer -1 and leave the reason in {@code errno}, those of
     * libibverbs mostly answer with the reason.
     *
     * @param what is attempted, for the message of the exception
     * @param held memory that the call uses, which nothing else may hold until it returns
     */
    static void succeed(String what, IntCall call, Object... held) throws NativeFailure {
        int result;
        try {
            result = call.make();
        } catch (Throwable e) {
            throw unexpected(e);
        } finally {
            Reference.reachabilityFence(held);
        }
        if (result == -1) {
            throw failure(what);
        } else if (result != 0) {
            throw failure(what, result);
        }
    }

    /** Makes a call that answers with a pointer, or with none and the reason in {@code errno}. */
    static long pointer(String what, PointerCall call) throws NativeFailure {
        long pointer;
        try {
            pointer = call.make();
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (pointer == 0) {
            throw failure(what);
        }
        return pointer;
    }

    /** Makes a call that cannot fail. */
    static void call(VoidCall call) {
        try {
            call.make();
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** What a method handle declares to throw, and functions of C do not. */
    static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException known ? known : new IllegalStateException(e);
    }

    /** A descriptor that counts wake-ups, and that reads without waiting. */
    static int eventFd() throws IOException {
        int[] fd = new int[1];
        call(() -> fd[0] = (int) EVENTFD.invokeExact(0, EFD_CLOEXEC_NONBLOCK));
        if (fd[0] < 0) {
            throw failure("eventfd");
        }
        return fd[0];
    }

    /** Whether a number is that of an open descriptor of this process. */
    static boolean isOpen(int fd) {
        int[] flags = new int[1];
        call(() -> flags[0] = (int) FCNTL.invokeExact(fd, F_GETFL, 0));
        return flags[0] >= 0;
    }

    /** Makes reads from a descriptor return at once. */
    static void setNonBlocking(int fd) throws IOException {
        int[] flags = new int[1];
        call(() -> flags[0] = (int) FCNTL.invokeExact(fd, F_GETFL, 0));
        if (flags[0] < 0) {
            throw failure("fcntl");
        }
        succeed("fcntl", () -> (int) FCNTL.invokeExact(fd, F_SETFL, flags[0] | O_NONBLOCK));
    }
}
