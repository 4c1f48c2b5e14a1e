// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import io.nettyrdma.verbs.soft.faults.FaultPlan;

/** A fault of the network in one direction of a connection. */
enum Fault {
    CLOSE,
    RESET,
    CORRUPT,
    STALL;

    FaultPlan at(long octet) {
        FaultPlan plan = FaultPlan.none();
        return switch (this) {
            case CLOSE -> plan.closeAt(octet);
            case RESET -> plan.resetAt(octet);
            case CORRUPT -> plan.corruptAt(octet);
            case STALL -> plan.stallAt(octet);
        };
    }
}
