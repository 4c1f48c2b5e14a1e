// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvCQ;
import java.io.IOException;

/** Completion events of the software provider's queues that no event channel takes. */
public final class CompletionEvents {

    private CompletionEvents() {}

    /** Takes the event of an armed queue; returns whether there was one. */
    public static boolean take(IbvCQ queue) throws IOException {
        return SoftVerbs.cast(SoftCq.class, queue).acknowledgeEvents();
    }
}
