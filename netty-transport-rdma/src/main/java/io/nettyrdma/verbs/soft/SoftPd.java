// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvPd;
import io.nettyrdma.verbs.soft.rdmap.ProtectionDomain;
import java.io.IOException;

/**
 * A protection domain: memory and queue pairs that may meet.
 *
 * <p>Threading: any thread.
 */
final class SoftPd extends IbvPd {

    private final SoftDevice device;
    private final ProtectionDomain domain = new ProtectionDomain();

    SoftPd(SoftContext context) throws IOException {
        super(context);
        device = context.device();
        handle = device.nextHandle();
    }

    SoftDevice device() {
        return device;
    }

    /** What is in it, which keeps it from being deallocated. */
    ProtectionDomain domain() {
        return domain;
    }
}
