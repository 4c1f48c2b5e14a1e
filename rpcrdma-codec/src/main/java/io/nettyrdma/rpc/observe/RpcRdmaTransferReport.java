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
package io.nettyrdma.rpc.observe;

/**
 * The chunks of one kind of one call, when their octets are where they belong.
 *
 * @param role          of this end: a responder moves chunks itself; a requester learns from the reply what was moved,
 *                      and takes read chunks of a call that was replied to for read
 * @param xid           transaction; opaque
 * @param kind          of chunk
 * @param chunks        how many, at least 1
 * @param bytes         octets in all of them, without padding that was not transferred; at least 1
 * @param durationNanos at a responder from the first RDMA Read to the completion of the last, or from the first RDMA
 *                      Write to the completion of the Send behind the last; at a requester, which has no part in it, 0
 */
public record RpcRdmaTransferReport(RpcRdmaRole role, int xid, Kind kind, int chunks, long bytes, long durationNanos) {

    /** The kinds of chunks of RFC 8166, section 3.4. */
    public enum Kind {
        /** Arguments, from the requester to the responder. */
        READ,
        /** A long call, in a read chunk of position zero. */
        POSITION_ZERO,
        /** Results, from the responder to the requester. */
        WRITE,
        /** A long reply. */
        REPLY
    }
}
