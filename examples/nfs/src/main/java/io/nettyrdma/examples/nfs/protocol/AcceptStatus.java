/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
