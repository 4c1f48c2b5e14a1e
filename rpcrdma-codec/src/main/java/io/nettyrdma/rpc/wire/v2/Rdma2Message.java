// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A valid header of the -01 wire format. Words 0 to 4 are the same in all types: xid, version, credits, type, flags
 * (draft -01, section 6.2). What must not be sent cannot be made: flags where they mean nothing, chunks in a fragment
 * that others follow, a handle to invalidate where no Send may invalidate one (C26).
 */
public sealed interface Rdma2Message extends Rdma2Decoded {

    /** Word 2; 0 in the layout of all versions. */
    int credits();

    /** Credits granted newly, 0 to 65535. */
    default int creditGrant() {
        return Rdma2.grant(credits());
    }

    /**
     * {@code RDMA2_MSG}: header, and a payload stream or a fragment of one in the same Send (draft -01, section 6.3.1).
     *
     * @param credits   as {@link Rdma2#credits} makes them
     * @param flags     {@link Rdma2#RESPONSE}, {@link Rdma2#MORE}
     * @param invHandle handle that the reply may invalidate, 0 for none; 0 in replies, and if more follows
     * @param chunks    absent if more follows
     */
    record Msg(int xid, int credits, int flags, int invHandle, ChunkLists chunks) implements Rdma2Message {

        /** @throws IllegalArgumentException if a value is out of its range */
        public Msg {
            require(flags, invHandle, chunks);
        }

        static void require(int flags, int invHandle, ChunkLists chunks) {
            Rdma2.requireFlags(flags, Rdma2.RESPONSE | Rdma2.MORE);
            if ((flags & Rdma2.MORE) != 0 && !chunks.areAbsent()) {
                throw new IllegalArgumentException("chunks in a fragment that others follow");
            }
            if (flags != 0 && invHandle != 0) {
                throw new IllegalArgumentException("handle to invalidate in a reply or a fragment that others follow");
            }
        }
    }

    /**
     * {@code RDMA2_NOMSG}: header only, the payload stream is in a chunk (draft -01, section 6.3.2).
     *
     * @param credits   as {@link Rdma2#credits} makes them
     * @param flags     {@link Rdma2#RESPONSE}
     * @param invHandle handle that the reply may invalidate, 0 for none; 0 in replies
     * @param chunks    not all absent
     */
    record NoMsg(int xid, int credits, int flags, int invHandle, ChunkLists chunks) implements Rdma2Message {

        /** @throws IllegalArgumentException if a value is out of its range */
        public NoMsg {
            Rdma2.requireFlags(flags, Rdma2.RESPONSE);
            if (chunks.areAbsent()) {
                throw new IllegalArgumentException("no chunk that could have the payload stream");
            }
            if (flags != 0 && invHandle != 0) {
                throw new IllegalArgumentException("handle to invalidate in a reply");
            }
        }
    }

    /**
     * Credit refresh: an {@code RDMA2_NOMSG} of no transaction and without chunks (draft -01, section 6.3.2, C4).
     *
     * @param credits as {@link Rdma2#credits} makes them
     */
    record CreditGrant(int credits) implements Rdma2Message {

        @Override
        public int xid() {
            return 0;
        }

        @Override
        public int flags() {
            return 0; // V2-101
        }
    }

    /**
     * {@code RDMA2_ERROR} (draft -01, section 6.3.3), or {@code ERR_VERS} in the layout of all versions (C5).
     *
     * @param version       word 1: 2, but in {@code ERR_VERS} that of the message it answers
     * @param credits       as {@link Rdma2#credits} makes them; 0 in the layout of all versions
     * @param version1Grant word 2 in the layout of all versions, a grant as version 1 has it, 0 to 2<sup>32</sup>-1; 0
     *                      in the draft's own
     */
    record ErrorMsg(int xid, int version, int credits, long version1Grant, Rdma2Error error) implements Rdma2Message {

        /** @throws IllegalArgumentException if a value is out of its range */
        public ErrorMsg {
            Rdma2.requireWord(version1Grant, "version 1 grant");
            if (error.code() != Rdma2ErrorCode.VERS && (version != Rdma2.VERSION || version1Grant != 0)) {
                throw new IllegalArgumentException("version: " + version + " (expected: 2 for " + error.code() + ")");
            }
        }

        /** An error in answer to a message of version 2. */
        public static ErrorMsg of(int xid, int credits, Rdma2Error error) {
            return new ErrorMsg(xid, Rdma2.VERSION, credits, 0, error); // V2-135
        }

        /**
         * {@code ERR_VERS} in the layout of all versions.
         *
         * @param version of the message it answers
         * @param grant   as version 1 has it, 1 to 2<sup>32</sup>-1
         */
        public static ErrorMsg versions(int xid, int version, long grant, long low, long high) {
            return new ErrorMsg(xid, version, 0, grant, Rdma2Error.versions(low, high));
        }

        @Override
        public int flags() {
            return Rdma2.RESPONSE; // V2-102
        }
    }

    /**
     * {@code RDMA2_CONNPROP}: transport properties of the sender (draft -01, section 6.3.4).
     *
     * @param credits    as {@link Rdma2#credits} makes them
     * @param flags      {@link Rdma2#RESPONSE}, which says nothing here (C11), {@link Rdma2#MORE}, {@link Rdma2#TPMORE}
     * @param properties in wire order; {@code null} in a part of a set, whose octets follow the prefix, as a payload
     *                   stream follows a header (C7)
     */
    record ConnProp(int xid, int credits, int flags, @Nullable List<TransportProperty> properties)
            implements Rdma2Message {

        /** @throws IllegalArgumentException if flags are unknown, or properties given that are not the whole set */
        public ConnProp {
            Rdma2.requireFlags(flags, Rdma2.FLAGS_MASK);
            if (properties != null) {
                if ((flags & Rdma2.MORE) != 0) {
                    throw new IllegalArgumentException("set of properties that goes on in the next message");
                }
                properties = List.copyOf(properties);
            }
        }
    }
}
