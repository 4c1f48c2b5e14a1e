// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What an application asks for in connect and accept, whichever class it says it with. */
record RequestedParameters(int ird, int ord, byte[] privateData, int receiverNotReadyTimeoutMillis) {

    static RequestedParameters of(SoftDevice device, @Nullable RdmaConnParam p) throws IOException {
        int max = device.config.maxReadsInFlight();
        int providersTimeout = device.config.receiverNotReadyTimeoutMillis();
        if (p == null) {
            return new RequestedParameters(max, max, new byte[0], providersTimeout);
        }
        if (p instanceof ConnectionParameters) {
            ConnectionParameters c = (ConnectionParameters) p;
            byte[] data = c.privateData();
            check(data);
            int timeout = c.receiverNotReadyTimeoutMillis();
            return new RequestedParameters(
                    c.responderResources(),
                    c.initiatorDepth(),
                    data,
                    timeout == ConnectionParameters.PROVIDERS_TIMEOUT ? providersTimeout : timeout);
        }
        // The setters of DiSNI's own class refuse to set depths, so zeros mean that they could not be set.
        int ird = p.getResponder_resources() & 0xff;
        int ord = p.getInitiator_depth() & 0xff;
        boolean unset = ird == 0 && ord == 0;
        return new RequestedParameters(unset ? max : ird, unset ? max : ord, privateData(device, p), providersTimeout);
    }

    static void check(byte[] privateData) throws IOException {
        if (privateData.length > VerbsConstants.MAX_PRIVATE_DATA_BYTES) {
            throw new IOException("private data of " + privateData.length + " bytes (expected: at most "
                    + VerbsConstants.MAX_PRIVATE_DATA_BYTES + ")");
        }
    }

    /** DiSNI's own class gives an address; one inside registered memory is known here, others are not. */
    private static byte[] privateData(SoftDevice device, RdmaConnParam p) throws IOException {
        byte[] data = new byte[p.getPrivate_data_len() & 0xff];
        check(data);
        if (data.length != 0 && !device.regions.fetch(p.getPrivate_data(), data.length, ByteBuffer.wrap(data))) {
            throw new IOException("private data is not in registered memory; use ConnectionParameters");
        }
        return data;
    }
}
