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

import io.nettyrdma.rpc.wire.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * A received message that is not processed, and the answer that draft -01, section 7, asks for.
 *
 * @param reaction what to do
 * @param error    the body of the answer if it is an {@code RDMA2_ERROR}, {@code null} otherwise
 * @param xid      word 0, to be copied into an error message; 0 if the message is too short to have one
 * @param version  word 1, likewise
 * @param credits  word 2; 0 if the message is not one of version 2 or too short
 * @param type     word 3, likewise; how a sequence goes on depends on it
 * @param flags    word 4 without reserved flags, likewise
 * @param what     what is wrong
 * @param octet    where, counted from the start of the header, or of the joined octets
 * @param found    the value there, or the number of octets
 * @param expected the value or the limit it was held against
 * @param option   the setting of {@code RpcRdmaConfig} that {@code expected} is the value of; {@code null} if the
 *                 message breaks the protocol's rules, and not a limit of this side
 */
public record Rdma2Rejection(
        Reaction reaction,
        @Nullable Rdma2Error error,
        int xid,
        int version,
        int credits,
        int type,
        int flags,
        String what,
        int octet,
        long found,
        long expected,
        @Nullable String option)
        implements Rdma2Decoded {

    /** The possible answers. */
    public enum Reaction {
        /** Nothing is sent; the connection and pending calls stay as they are. */
        DISCARD,
        /** {@code RDMA2_ERROR} with {@link Rdma2Rejection#error}. */
        ERROR,
        /** {@code ERR_VERS} in the layout of all versions, with the supported ones. */
        ERR_VERS
    }

    /** Of a message that has no flags, or none that version 2 knows. */
    static Rdma2Rejection withoutFlags(
            Reaction reaction, int xid, int version, String what, int octet, long found, long expected) {
        return new Rdma2Rejection(reaction, null, xid, version, 0, 0, 0, what, octet, found, expected, null);
    }

    /** Of a message that is too short to be looked at: discarded. */
    static Rdma2Rejection tooShort(int xid, int version, int bytes, int expectedBytes) {
        return withoutFlags(Reaction.DISCARD, xid, version, "message too short", 0, bytes, expectedBytes);
    }

    /** As listeners and logs see it. */
    public Rejection report() {
        Rejection.Reaction answer =
                switch (reaction) {
                    case DISCARD -> Rejection.Reaction.DISCARD;
                    case ERROR -> Rejection.Reaction.RDMA2_ERROR;
                    case ERR_VERS -> Rejection.Reaction.ERR_VERS;
                };
        String code = error == null ? "" : error.name() + ", ";
        return new Rejection(answer, xid, version, code + what, octet, found, expected, option);
    }

    @Override
    public String toString() {
        return reaction + (error == null ? "" : " " + error.code()) + ": xid 0x" + Integer.toHexString(xid) + ", "
                + what + " at octet " + octet + ": " + found
                + (option == null ? ", expected " + expected : ", RpcRdmaConfig." + option + " is " + expected);
    }
}
