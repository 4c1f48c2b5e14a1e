// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.nettyrdma.deadline.Deadline;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions that no event announces. */
public final class Poll {

    private Poll() {}

    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    /** @param what is asked when the condition does not come */
    public static void until(Supplier<String> what, BooleanSupplier condition) {
        Deadline.until(condition, what);
    }
}
