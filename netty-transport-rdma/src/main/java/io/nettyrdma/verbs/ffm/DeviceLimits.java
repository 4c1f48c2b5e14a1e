// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.PrivateDataLimits;
import io.nettyrdma.verbs.RdmaCapabilities;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a device says of itself ({@code ibv_query_device}).
 *
 * @param vendorId            who has made it, as it says
 * @param maxQueueDepth       requests of a send or receive queue
 * @param maxSge              scatter-gather entries of a request
 * @param maxCompletions      entries of a completion queue
 * @param maxReadsInFlight    RDMA Reads at once of a queue pair, in either direction
 * @param maxMemoryWindows    memory windows
 * @param type2MemoryWindows  whether memory windows can be bound by work requests, and be invalidated by the peer. User
 *                            space has no other memory that can: rxe ends a connection that names a region
 */
record DeviceLimits(
        int vendorId,
        int maxQueueDepth,
        int maxSge,
        int maxCompletions,
        int maxReadsInFlight,
        int maxMemoryWindows,
        boolean type2MemoryWindows) {

    // What the fields of fixed size leave for users of rdma_cm (the kernel's struct cma_hdr takes 36 octets of
    // a request), and what struct rdma_conn_param can say.
    private static final PrivateDataLimits INFINIBAND = new PrivateDataLimits(56, 196, 148);
    private static final int MAX_OF_OCTET = 255;

    /** What all devices can do, whichever a connection will have. */
    static final RdmaCapabilities LEAST = RdmaCapabilities.builder()
            .sendInvalidate(true)
            .privateData(INFINIBAND)
            .maxReadsInFlight(16)
            .build();

    private static final int IBV_DEVICE_MEM_WINDOW_TYPE_2A = 1 << 23;
    private static final int IBV_DEVICE_MEM_WINDOW_TYPE_2B = 1 << 24;

    /** @param context {@code struct ibv_context *} */
    static DeviceLimits query(long context) throws IOException {
        ByteBuffer attributes = Foreign.allocate(VerbsLayout.IBV_DEVICE_ATTR_BYTES);
        long address = Foreign.get().address(attributes);
        VerbsLibrary.succeed(
                "ibv_query_device",
                () -> (int) VerbsLibrary.IBV_QUERY_DEVICE.invokeExact(context, address),
                attributes);
        return of(attributes);
    }

    /** @param attributes {@code struct ibv_device_attr} */
    static DeviceLimits of(ByteBuffer attributes) {
        int flags = attributes.getInt(VerbsLayout.IBV_DEVICE_ATTR_DEVICE_CAP_FLAGS);
        return new DeviceLimits(
                attributes.getInt(VerbsLayout.IBV_DEVICE_ATTR_VENDOR_ID),
                attributes.getInt(VerbsLayout.IBV_DEVICE_ATTR_MAX_QP_WR),
                attributes.getInt(VerbsLayout.IBV_DEVICE_ATTR_MAX_SGE),
                attributes.getInt(VerbsLayout.IBV_DEVICE_ATTR_MAX_CQE),
                Math.min(
                        attributes.getInt(VerbsLayout.IBV_DEVICE_ATTR_MAX_QP_RD_ATOM),
                        attributes.getInt(VerbsLayout.IBV_DEVICE_ATTR_MAX_QP_INIT_RD_ATOM)),
                attributes.getInt(VerbsLayout.IBV_DEVICE_ATTR_MAX_MW),
                (flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)) != 0);
    }

    /**
     * What channels may do with the device.
     *
     * @param iwarp whether it is one of iWARP, whose private data have no fixed length, and which has no immediate data
     *              (RFC 5040)
     */
    RdmaCapabilities capabilities(boolean iwarp) {
        boolean windows = type2MemoryWindows && maxMemoryWindows > 0;
        return RdmaCapabilities.builder()
                .sendInvalidate(true)
                .remoteInvalidation(windows)
                .memoryWindows(windows)
                .immediateData(!iwarp)
                .privateData(iwarp ? PrivateDataLimits.of(MAX_OF_OCTET) : INFINIBAND)
                .maxReadsInFlight(Math.min(maxReadsInFlight, MAX_OF_OCTET))
                .maxQueueDepth(maxQueueDepth)
                .maxCompletions(maxCompletions)
                .build();
    }
}
