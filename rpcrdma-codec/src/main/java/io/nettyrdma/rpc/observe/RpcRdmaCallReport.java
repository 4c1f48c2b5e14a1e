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

import io.nettyrdma.rpc.binding.RpcCallHeader;
import org.jspecify.annotations.Nullable;

/**
 * How one call has ended, as one end of the connection sees it.
 *
 * @param role          of this end
 * @param xid           transaction; opaque
 * @param header        program, version and procedure, if this end had to know them anyway: a requester does, unless
 *                      the message is no whole RPC call; a responder does for calls with chunks
 * @param durationNanos at a requester from the moment the handler takes the call to its end, waiting for credits
 *                      included; at a responder from its reception to the completion of the Send of its reply
 * @param outcome       what has become of it
 */
public record RpcRdmaCallReport(
        RpcRdmaRole role, int xid, @Nullable RpcCallHeader header, long durationNanos, Outcome outcome) {

    /** The ways a call can end. */
    public enum Outcome {
        /** With a reply. Whether that reports success is the business of the program. */
        REPLIED,
        /** With {@code ERR_CHUNK}: received by a requester, sent by a responder. */
        ERR_CHUNK,
        /** With {@code ERR_VERS}, received by a requester. */
        ERR_VERS,
        /** With an error of version 2: received by a requester, sent by a responder. */
        RDMA2_ERROR,
        /** With a reply that breaks the rules of RFC 8166, received by a requester. */
        BAD_REPLY,
        /** Without a reply in time. */
        TIMED_OUT,
        /** By the application's wish. */
        CANCELLED,
        /** With the connection. */
        CONNECTION_LOST,
        /** Before it began: the requester's handler did not accept it, because of its form, its size or a limit. */
        REFUSED,
        /** By an error on this side, such as memory that cannot be had or registered. */
        FAILED
    }
}
