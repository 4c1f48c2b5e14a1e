// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

import org.jspecify.annotations.Nullable;

/**
 * A valid RPC-over-RDMA header. Words 0 to 3 are the same in all versions and procedures: xid, version, credits,
 * procedure (RFC 8166, section 4.2). A payload stream, if any, follows the header in the same Send.
 */
public sealed interface RpcRdmaMessage extends Decoded {

    /** Transaction the message belongs to; opaque. */
    int xid();

    /** Protocol version; in an error, that of the failing request. */
    int version();

    /** Credits requested (call) or granted (reply, error), 0 to 2<sup>32</sup>-1. */
    long credits();

    /** The chunk lists; an error has none. */
    ChunkLists chunks();

    /** {@code RDMA_MSG}: header and payload stream in one Send. */
    record Msg(int xid, int version, long credits, ChunkLists chunks) implements RpcRdmaMessage {

        public Msg {
            Unsigned.requireInt(credits, "credits");
        }
    }

    /** {@code RDMA_NOMSG}: header only, the payload stream is in a chunk. */
    record NoMsg(int xid, int version, long credits, ChunkLists chunks) implements RpcRdmaMessage {

        public NoMsg {
            Unsigned.requireInt(credits, "credits");
        }
    }

    /**
     * {@code RDMA_ERROR} (RFC 8166, section 4.5).
     *
     * @param supported versions the responder speaks if the error is {@code ERR_VERS}, {@code null} if it is
     *                  {@code ERR_CHUNK}
     */
    record ErrorMsg(int xid, int version, long credits, @Nullable VersionRange supported) implements RpcRdmaMessage {

        public ErrorMsg {
            Unsigned.requireInt(credits, "credits");
        }

        @Override
        public ChunkLists chunks() {
            return ChunkLists.ABSENT;
        }
    }

    /**
     * Protocol versions, both ends included.
     *
     * @param low  lowest, 0 to 2<sup>32</sup>-1
     * @param high highest, 0 to 2<sup>32</sup>-1
     */
    record VersionRange(long low, long high) {

        public VersionRange {
            Unsigned.requireInt(low, "low version");
            Unsigned.requireInt(high, "high version");
        }
    }
}
