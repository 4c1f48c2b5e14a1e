// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A connection event. Status is 0 or a negative errno, as Linux has it. */
final class SoftCmEvent extends RdmaCmEvent {

    SoftCmEvent(
            EventType type, int status, @Nullable RdmaCmId listener, RdmaCmId id, @Nullable RdmaConnParam parameters)
            throws IOException {
        super(type.ordinal(), listener, id);
        this.status = status;
        this.conn = parameters;
    }

    @Nullable
    RdmaConnParam parameters() {
        return conn;
    }
}
