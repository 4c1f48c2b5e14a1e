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
package io.nettyrdma.lab;

/** Operations of NFS version 4.1 by their numbers (RFC 8881, sections 18 and 20). */
enum Nfs41Operation {
    CREATE(6),
    DELEGRETURN(8),
    GETFH(10),
    LOOKUP(15),
    OPEN(18),
    PUTFH(22),
    PUTROOTFH(24),
    READ(25),
    BIND_CONN_TO_SESSION(41),
    EXCHANGE_ID(42),
    CREATE_SESSION(43),
    SEQUENCE(53),
    RECLAIM_COMPLETE(58),
    CB_RECALL(4),
    CB_SEQUENCE(11);

    final int number;

    Nfs41Operation(int number) {
        this.number = number;
    }
}
