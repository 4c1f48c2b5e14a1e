// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.verbs.face.FaceVerbs;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parameters of a connection as C has them: {@code struct rdma_conn_param}, and the private data behind it.
 *
 * <p>Threading: stateless.
 */
final class ParameterEncoder {

    private ParameterEncoder() {}

    static NativeMemory encode(@Nullable RdmaConnParam parameters) throws IOException {
        ConnectionParameters known = FaceVerbs.parameters(parameters);
        byte[] privateData = known.privateData();
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
        struct.put(VerbsLayout.RDMA_CONN_PARAM_RESPONDER_RESOURCES, (byte) known.responderResources());
        struct.put(VerbsLayout.RDMA_CONN_PARAM_INITIATOR_DEPTH, (byte) known.initiatorDepth());
        return memory;
    }
}
