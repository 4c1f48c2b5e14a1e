// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.verbs.face.FaceVerbs;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What an application asks for in connect and accept. */
record RequestedParameters(int ird, int ord, byte[] privateData, int receiverNotReadyTimeoutMillis) {

    static RequestedParameters of(SoftDevice device, @Nullable RdmaConnParam parameters) throws IOException {
        ConnectionParameters known = FaceVerbs.parameters(parameters);
        byte[] data = known.privateData();
        check(data);
        int timeout = known.receiverNotReadyTimeoutMillis();
        return new RequestedParameters(
                known.responderResources(),
                known.initiatorDepth(),
                data,
                timeout == ConnectionParameters.PROVIDERS_TIMEOUT
                        ? device.config.receiverNotReadyTimeoutMillis()
                        : timeout);
    }

    static void check(byte[] privateData) throws IOException {
        if (privateData.length > VerbsConstants.MAX_PRIVATE_DATA_BYTES) {
            throw new IOException("private data of " + privateData.length + " bytes (expected: at most "
                    + VerbsConstants.MAX_PRIVATE_DATA_BYTES + ")");
        }
    }
}
