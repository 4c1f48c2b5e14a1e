// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.strict.StrictDevice;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** After each test, when its event loops have ended: no region, queue pair or connection of the provider is left. */
public final class NoVerbsLeft implements AfterEachCallback {

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (RdmaProvider.provider() instanceof SoftProvider soft) {
            NothingLeft.of(soft);
        }
        StrictDevice.shared().checkNothingLeft();
    }
}
