// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parameters of a connection as C has them: {@code struct rdma_conn_param}, and the private data behind it.
 *
 * <p>Threading: stateless.
 */
final class ParameterEncoder {

    /**
     * {@code RDMA_MAX_RESP_RES} and {@code RDMA_MAX_INIT_DEPTH}: librdmacm takes as many RDMA Reads as the device can
     * have, and in accept no more than the peer has asked for.
     */
    private static final byte MOST = (byte) 0xff;

    /** A program that passes no parameters means what those of a channel say, and depths as in DiSNI. */
    private static final ConnectionParameters NOTHING = new ConnectionParameters(new byte[0], 0xff, 0xff);

    private ParameterEncoder() {}

    static NativeMemory encode(@Nullable RdmaConnParam parameters) {
        RdmaConnParam known = parameters == null ? NOTHING : parameters;
        byte[] privateData = known instanceof ConnectionParameters ours ? ours.privateData() : new byte[0];
        NativeMemory memory = new NativeMemory(VerbsLayout.RDMA_CONN_PARAM_BYTES + privateData.length);
        ByteBuffer struct = memory.octets();
        if (privateData.length > 0) {
            struct.put(VerbsLayout.RDMA_CONN_PARAM_BYTES, privateData);
            struct.putLong(
                    VerbsLayout.RDMA_CONN_PARAM_PRIVATE_DATA, memory.address() + VerbsLayout.RDMA_CONN_PARAM_BYTES);
            struct.put(VerbsLayout.RDMA_CONN_PARAM_PRIVATE_DATA_LEN, (byte) privateData.length);
        }
        struct.put(VerbsLayout.RDMA_CONN_PARAM_RETRY_COUNT, known.getRetry_count());
        struct.put(VerbsLayout.RDMA_CONN_PARAM_RNR_RETRY_COUNT, known.getRnr_retry_count());
        if (known instanceof ConnectionParameters ours) {
            depths(struct, (byte) ours.responderResources(), (byte) ours.initiatorDepth());
        } else if (known.getResponder_resources() == 0 && known.getInitiator_depth() == 0) {
            // DiSNI's setters of the depths refuse to work, so zeros mean that the program could not say. libdisni
            // takes what the device has.
            depths(struct, MOST, MOST);
        } else {
            depths(struct, known.getResponder_resources(), known.getInitiator_depth());
        }
        return memory;
    }

    private static void depths(ByteBuffer struct, byte responderResources, byte initiatorDepth) {
        struct.put(VerbsLayout.RDMA_CONN_PARAM_RESPONDER_RESOURCES, responderResources);
        struct.put(VerbsLayout.RDMA_CONN_PARAM_INITIATOR_DEPTH, initiatorDepth);
    }
}
