// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A copy of an event, which needs no acknowledgement any more. */
final class NativeCmEvent extends RdmaCmEvent {

    @SuppressWarnings("NullAway") // DiSNI's constructor takes null for a listener, and its field for parameters
    NativeCmEvent(
            int type, int status, @Nullable RdmaCmId listener, RdmaCmId id, @Nullable ConnectionParameters parameters)
            throws IOException {
        super(type, listener, id);
        this.status = status;
        conn = parameters;
    }

    @Override
    public void ackEvent() {
        // was done when it was copied
    }

    @Nullable
    ConnectionParameters parameters() {
        return conn instanceof ConnectionParameters parameters ? parameters : null;
    }
}
