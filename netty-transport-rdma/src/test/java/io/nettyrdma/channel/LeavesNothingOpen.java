// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.strict.StrictDevice;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After each test: every event channel, id, queue pair, completion queue, protection domain, memory region and
 * connection is gone. Tests end their event loops themselves, because that is what frees the last of them.
 */
public final class LeavesNothingOpen implements AfterEachCallback {

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        Rdma.ensureAvailability();
        if (RdmaProvider.provider() instanceof SoftProvider soft) {
            assertThat(soft.openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
        }
        assertThat(StrictDevice.shared().openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
        assertThat(StrictDevice.shared().violations()).isEmpty();
    }
}
