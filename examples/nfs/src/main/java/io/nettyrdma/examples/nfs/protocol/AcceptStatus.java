// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.nettyrdma.rpc.message.RpcHeaders;

/** Names of {@code accept_stat} (RFC 5531, section 9). */
public final class AcceptStatus {

    private AcceptStatus() {}

    /** The name, or the number where there is none. */
    public static String name(int status) {
        return switch (status) {
            case RpcHeaders.SUCCESS -> "SUCCESS";
            case RpcHeaders.PROG_UNAVAIL -> "PROG_UNAVAIL";
            case RpcHeaders.PROG_MISMATCH -> "PROG_MISMATCH";
            case RpcHeaders.PROC_UNAVAIL -> "PROC_UNAVAIL";
            case RpcHeaders.GARBAGE_ARGS -> "GARBAGE_ARGS";
            case RpcHeaders.SYSTEM_ERR -> "SYSTEM_ERR";
            default -> "accept_stat " + status;
        };
    }
}
