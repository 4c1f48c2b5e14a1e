// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;

/** The software device as DiSNI sees it. */
final class SoftContext extends IbvContext {

    private final SoftDevice device;

    SoftContext(SoftDevice device) throws IOException {
        super(-1, 1);
        this.device = device;
    }

    SoftDevice device() {
        return device;
    }
}
