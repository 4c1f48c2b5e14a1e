// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.strict.StrictDevice;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After each test: every event channel, id, queue pair, completion queue, protection domain, memory region and
 * connection is gone. Tests end their event loops themselves, because that is what frees the last of them.
 */
public final class LeavesNothingOpen implements AfterEachCallback {

    /** Whether something stays open for ever: then the tests that follow do not wait for it again. */
    private static boolean leaked;

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        Rdma.ensureAvailability();
        if (RdmaProvider.provider() instanceof SoftProvider soft) {
            awaitNone(soft::openResources);
        }
        awaitNone(StrictDevice.shared()::openResources);
        assertThat(StrictDevice.shared().violations()).isEmpty();
    }

    /** What a peer has not taken when its sender's loop ends is sent on a little longer. */
    private static void awaitNone(Supplier<OpenResources> open) {
        if (!leaked) {
            leaked = true;
            Deadline.until(() -> open.get().equals(OpenResources.NONE), () -> "still open: " + open.get());
            leaked = false;
        }
        assertThat(open.get()).isEqualTo(OpenResources.NONE);
    }
}
