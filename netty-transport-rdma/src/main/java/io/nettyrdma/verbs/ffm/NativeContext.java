// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvContext;
import io.nettyrdma.verbs.RdmaCapabilities;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A device that librdmacm has opened, which keeps it open for as long as the process lives. There is
 * one object for each, as callers compare devices by identity.
 *
 * <p>Threading: immutable.
 */
final class NativeContext extends IbvContext {

    private static final int TRANSPORT_IWARP = 1;
    /** What siw says in the place of a vendor's number: "bmt". */
    private static final int VENDOR_SIW = 0x626d74;

    private final long pointer;
    private final String name;
    private final boolean iwarp;
    private final long pollCq;
    private final long reqNotifyCq;
    private final long allocMw;
    private final long deallocMw;
    private final long postSend;
    private final long postRecv;
    private final DeviceLimits limits;
    private final RdmaCapabilities capabilities;
    private final AsyncEvents asyncEvents;

    private NativeContext(long pointer, ByteBuffer context, DeviceLimits limits) throws IOException {
        super(context.getInt(VerbsLayout.IBV_CONTEXT_CMD_FD), context.getInt(VerbsLayout.IBV_CONTEXT_NUM_COMP_VECTORS));
        this.pointer = pointer;
        pollCq = context.getLong(VerbsLayout.IBV_CONTEXT_OPS_POLL_CQ);
        reqNotifyCq = context.getLong(VerbsLayout.IBV_CONTEXT_OPS_REQ_NOTIFY_CQ);
        allocMw = context.getLong(VerbsLayout.IBV_CONTEXT_OPS_ALLOC_MW);
        deallocMw = context.getLong(VerbsLayout.IBV_CONTEXT_OPS_DEALLOC_MW);
        postSend = context.getLong(VerbsLayout.IBV_CONTEXT_OPS_POST_SEND);
        postRecv = context.getLong(VerbsLayout.IBV_CONTEXT_OPS_POST_RECV);
        ByteBuffer device =
                Foreign.get().at(context.getLong(VerbsLayout.IBV_CONTEXT_DEVICE), VerbsLayout.IBV_DEVICE_BYTES);
        iwarp = device.getInt(VerbsLayout.IBV_DEVICE_TRANSPORT_TYPE) == TRANSPORT_IWARP;
        name = name(device);
        this.limits = limits;
        capabilities = limits.capabilities(iwarp);
        int asyncFd = context.getInt(VerbsLayout.IBV_CONTEXT_ASYNC_FD);
        VerbsLibrary.setNonBlocking(asyncFd);
        asyncEvents = new AsyncEvents(pointer, name, isSiw(), asyncFd);
    }

    /** @param pointer {@code struct ibv_context *} */
    static NativeContext of(long pointer) throws IOException {
        return of(pointer, () -> DeviceLimits.query(pointer));
    }

    /** What asks a device for its limits. */
    @FunctionalInterface
    interface Query {
        /** Only after the check of the layout. */
        DeviceLimits limits() throws IOException;
    }

    static NativeContext of(long pointer, Query query) throws IOException {
        ByteBuffer context = Foreign.get().at(pointer, VerbsLayout.IBV_CONTEXT_BYTES);
        LayoutCheck.context(context, VerbsLibrary::isOpen);
        long device = context.getLong(VerbsLayout.IBV_CONTEXT_DEVICE);
        long name = VerbsLibrary.pointer(
                "ibv_get_device_name", () -> (long) VerbsLibrary.IBV_GET_DEVICE_NAME.invokeExact(device));
        LayoutCheck.device(device, name);
        return new NativeContext(pointer, context, query.limits());
    }

    private static String name(ByteBuffer device) {
        byte[] octets = new byte[VerbsLayout.IBV_DEVICE_NAME_BYTES];
        device.get(VerbsLayout.IBV_DEVICE_NAME, octets);
        int length = 0;
        while (length < octets.length && octets[length] != 0) {
            length++;
        }
        return new String(octets, 0, length, StandardCharsets.UTF_8);
    }

    long pointer() {
        return pointer;
    }

    /** Such as {@code siw0}. */
    String name() {
        return name;
    }

    /** Whether it is iWARP; else InfiniBand or RoCE. */
    boolean isIwarp() {
        return iwarp;
    }

    /** Whether it is the kernel's siw, which is iWARP, and has ways of its own. */
    boolean isSiw() {
        return limits.vendorId() == VENDOR_SIW;
    }

    DeviceLimits limits() {
        return limits;
    }

    RdmaCapabilities capabilities() {
        return capabilities;
    }

    AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    /** {@code ops.poll_cq}. */
    long pollCq() {
        return pollCq;
    }

    /** {@code ops.req_notify_cq}. */
    long reqNotifyCq() {
        return reqNotifyCq;
    }

    /** {@code ops.alloc_mw}. */
    long allocMw() {
        return allocMw;
    }

    /** {@code ops.dealloc_mw}. */
    long deallocMw() {
        return deallocMw;
    }

    /** {@code ops.post_send}. */
    long postSend() {
        return postSend;
    }

    /** {@code ops.post_recv}. */
    long postRecv() {
        return postRecv;
    }

    @Override
    public void close() {
        // librdmacm's
    }

    @Override
    public String toString() {
        return name;
    }
}
