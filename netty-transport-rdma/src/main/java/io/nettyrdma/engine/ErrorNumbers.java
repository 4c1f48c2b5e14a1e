// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

/** The error numbers of Linux that connection events carry, in words. Threading: stateless. */
final class ErrorNumbers {

    private ErrorNumbers() {}

    /** The name and the meaning of a negative error number, or the bare number. */
    static String describe(int status) {
        return switch (-status) {
            case 12 -> "ENOMEM: out of memory";
            case 19 -> "ENODEV: the device is gone";
            case 22 -> "EINVAL: the device or its driver refuses the request";
            case 98 -> "EADDRINUSE: the local address is taken";
            case 99 -> "EADDRNOTAVAIL: no device has the local address";
            case 101 -> "ENETUNREACH: no route to the peer";
            case 103 -> "ECONNABORTED: the connection was given up";
            case 104 -> "ECONNRESET: the peer reset the connection";
            case 110 -> "ETIMEDOUT: the peer did not answer in time";
            case 111 -> "ECONNREFUSED: no program listens there";
            case 113 -> "EHOSTUNREACH: the peer cannot be reached";
            default -> "status " + status;
        };
    }
}
