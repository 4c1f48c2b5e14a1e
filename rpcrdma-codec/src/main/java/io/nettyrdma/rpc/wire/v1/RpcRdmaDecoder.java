// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.codec.ErrVers;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;

/**
 * Decodes one received Send. The octets are checked whole before any object is built, so a hostile count costs
 * nothing: {@link HeaderScan} walks the raw words, and only a message it passed is turned into records. Everything
 * RFC 8166 lets a receiver see in the header is checked here; what is left to the caller is whether chunks it did not
 * offer came back and whether the transaction exists.
 *
 * <p>Threading: confined to one thread at a time, because the scan's results are kept in fields. Ownership: the
 * message is neither released nor are its indices moved.
 */
public final class RpcRdmaDecoder {

    /** The versions this decoder understands. */
    public static final VersionRange SUPPORTED = new VersionRange(V1.VERSION, V1.VERSION);

    private static final String UNKNOWN_VERSION = "unknown version";

    private final HeaderScan scan;

    /**
     * @param limits what to accept at most
     */
    public RpcRdmaDecoder(DecodeLimits limits) {
        scan = new HeaderScan(limits);
    }

    /**
     * Decodes the readable octets of a message.
     *
     * @param direction what the receiver's role makes of it
     * @return a valid message, or the answer to an invalid one; never an exception, whatever the octets
     */
    public Decoded decode(ByteBuf message, Direction direction) {
        int length = message.readableBytes();
        if (length < V1.FIXED_BYTES) {
            return Rejection.tooShort(0, 0, length, V1.FIXED_BYTES); // V1-104
        }
        int start = message.readerIndex();
        int xid = message.getInt(start + V1.XID);
        int version = message.getInt(start + V1.VERS);
        int procedure = message.getInt(start + V1.PROC);
        if (procedure == V1.RDMA_ERROR) {
            // Before the version is looked at: ERR_VERS is laid out alike in all of them, and errors are not answered.
            return decodeError(message, start, length, xid, version, direction);
        }
        if (length < V1.MIN_HEADER_BYTES) {
            return Rejection.tooShort(xid, version, length, V1.MIN_HEADER_BYTES); // V1-104
        }
        if (version != V1.VERSION) {
            return direction == Direction.CALL // V1-111
                    ? Rejection.errVers(xid, version, UNKNOWN_VERSION, V1.VERS, V1.VERSION)
                    : Rejection.discard(
                            xid, version, UNKNOWN_VERSION, V1.VERS, Integer.toUnsignedLong(version), V1.VERSION);
        }
        if (procedure == V1.RDMA_DONE) {
            return Rejection.discard(xid, version, "obsolete RDMA_DONE", V1.PROC, procedure, V1.RDMA_MSG); // V1-126
        }
        if (!scan.scan(message, direction)) {
            return scan.rejection(direction, xid, version);
        }
        long credits = message.getUnsignedInt(start + V1.CREDIT);
        ChunkLists chunks = scan.chunks(message);
        return procedure == V1.RDMA_MSG
                ? new RpcRdmaMessage.Msg(xid, version, credits, chunks)
                : new RpcRdmaMessage.NoMsg(xid, version, credits, chunks);
    }

    /**
     * Whether a message is {@code ERR_CHUNK} but for the version, in which a responder may repeat that of the message
     * it answers (C57).
     */
    public static boolean isErrChunk(ByteBuf message) {
        int start = message.readerIndex();
        return message.readableBytes() == V1.ERR_CHUNK_BYTES
                && message.getInt(start + V1.PROC) == V1.RDMA_ERROR
                && message.getInt(start + V1.ERR) == V1.ERR_CHUNK;
    }

    private static Decoded decodeError(
            ByteBuf message, int start, int length, int xid, int version, Direction direction) {
        if (direction == Direction.CALL) {
            return Rejection.discard( // V1-086, BIS-002
                    xid, version, "error sent to a responder", V1.PROC, V1.RDMA_ERROR, V1.RDMA_MSG);
        }
        if (length < V1.ERR_CHUNK_BYTES) {
            return Rejection.discard(xid, version, "error too short", V1.ERR, length, V1.ERR_CHUNK_BYTES); // V1-110
        }
        long credits = message.getUnsignedInt(start + V1.CREDIT);
        if (ErrVers.isIn(message)) {
            return new RpcRdmaMessage.ErrorMsg(xid, version, credits, ErrVers.supported(message));
        }
        int error = message.getInt(start + V1.ERR);
        if (error == V1.ERR_CHUNK && length == V1.ERR_CHUNK_BYTES && version == V1.VERSION) {
            return new RpcRdmaMessage.ErrorMsg(xid, version, credits, null);
        }
        return Rejection.discard( // V1-110
                xid, version, "undecodable error", V1.ERR, Integer.toUnsignedLong(error), length);
    }
}
