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
package io.nettyrdma.rpc.wire;

import org.jspecify.annotations.Nullable;

/**
 * A received message that is not processed, and the answer RFC 8166, section 4.5, asks for.
 *
 * @param reaction what to do
 * @param xid      word 0, to be copied into an error message; 0 if the message is too short to have one
 * @param version  word 1, likewise
 * @param what     what is wrong
 * @param octet    where, counted from the start of the header
 * @param found    the value there, or the number of octets
 * @param expected the value or the limit it was held against
 * @param option   the setting of {@code RpcRdmaConfig} that {@code expected} is the value of; {@code null} if the
 *                 message breaks the protocol's rules, and not a limit of this side
 */
public record Rejection(
        Reaction reaction,
        int xid,
        int version,
        String what,
        int octet,
        long found,
        long expected,
        @Nullable String option)
        implements Decoded {

    /** Of a message that breaks the rules. */
    public Rejection(Reaction reaction, int xid, int version, String what, int octet, long found, long expected) {
        this(reaction, xid, version, what, octet, found, expected, null);
    }

    /** The possible answers. */
    public enum Reaction {
        /** Nothing is sent; the connection and pending calls stay as they are. */
        DISCARD,
        /** {@code RDMA_ERROR} with {@code ERR_CHUNK}. */
        ERR_CHUNK,
        /** {@code RDMA_ERROR} with {@code ERR_VERS} and the supported versions. */
        ERR_VERS
    }

    @Override
    public String toString() {
        return reaction + ": xid 0x" + Integer.toHexString(xid) + ", " + what + " at octet " + octet + ": " + found
                + (option == null ? ", expected " + expected : ", RpcRdmaConfig." + option + " is " + expected);
    }
}
