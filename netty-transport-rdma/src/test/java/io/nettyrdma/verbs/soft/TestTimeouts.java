// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.time.Duration;

/** Changes waits of the software provider that are the same for all programs, for tests of other packages. */
public final class TestTimeouts {

    private TestTimeouts() {}

    /** Sets how long an FPDU may take from its first octet to its last. */
    public static SoftProviderConfig.Builder partialFpdu(SoftProviderConfig.Builder config, Duration limit) {
        return config.timeouts(it -> it.partialFpduMillis = (int) limit.toMillis());
    }

    /** Sets how long each side waits for the other one's whole start-up frame. */
    public static SoftProviderConfig.Builder startup(
            SoftProviderConfig.Builder config, Duration request, Duration reply) {
        return config.timeouts(it -> it.mpaRequestMillis = (int) request.toMillis())
                .timeouts(it -> it.mpaReplyMillis = (int) reply.toMillis());
    }
}
