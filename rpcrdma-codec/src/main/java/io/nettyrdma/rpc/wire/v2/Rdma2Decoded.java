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
package io.nettyrdma.rpc.wire.v2;

/**
 * What became of a received message: a valid {@link Rdma2Message}, or an {@link Rdma2Rejection}. What all messages
 * begin with can be asked of both, since the sender has counted the credits when it sent them (C43).
 */
public sealed interface Rdma2Decoded permits Rdma2Message, Rdma2Rejection {

    /** Transaction the message belongs to; opaque. */
    int xid();

    /** Word 2; 0 if the message is not one of version 2, or is too short to be looked at. */
    int credits();

    /** {@link Rdma2#RESPONSE}, {@link Rdma2#MORE}, {@link Rdma2#TPMORE}; 0 where {@link #credits} is. */
    int flags();

    /** Credits that may be outstanding at most, 0 to 65535; 0 says nothing. */
    default int creditMaximum() {
        return credits() >>> 16;
    }

    /** Credits granted newly, 0 to 65535. */
    default int creditGrant() {
        return credits() & 0xffff;
    }

    /** Whether the XID is one of the receiver's own calls. */
    default boolean response() {
        return (flags() & Rdma2.RESPONSE) != 0;
    }

    /** Whether the message goes on in the next one. */
    default boolean more() {
        return (flags() & Rdma2.MORE) != 0;
    }

    /** Whether more properties follow in other messages. */
    default boolean tpMore() {
        return (flags() & Rdma2.TPMORE) != 0;
    }
}
