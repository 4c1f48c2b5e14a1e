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
package io.nettyrdma.rpc.wire.v1;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.DecodeLimits;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.Rejection.Reaction;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
            return new Rejection(Reaction.DISCARD, 0, 0, "message too short", 0, length, V1.FIXED_BYTES); // V1-104
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
            return new Rejection( // V1-104
                    Reaction.DISCARD, xid, version, "message too short", 0, length, V1.MIN_HEADER_BYTES);
        }
        if (version != V1.VERSION) {
            Reaction reaction = direction == Direction.CALL ? Reaction.ERR_VERS : Reaction.DISCARD; // V1-111
            return new Rejection(
                    reaction, xid, version, "unknown version", V1.VERS, Integer.toUnsignedLong(version), V1.VERSION);
        }
        if (procedure == V1.RDMA_DONE) {
            return new Rejection( // V1-126
                    Reaction.DISCARD, xid, version, "obsolete RDMA_DONE", V1.PROC, procedure, V1.RDMA_MSG);
        }
        if (!scan.scan(message, direction)) {
            return scan.rejection(direction, xid, version);
        }
        long credits = message.getUnsignedInt(start + V1.CREDIT);
        ChunkLists chunks = scan.hasChunks() ? readChunks(message, start + V1.FIXED_BYTES) : ChunkLists.ABSENT;
        return procedure == V1.RDMA_MSG
                ? new RpcRdmaMessage.Msg(xid, version, credits, chunks)
                : new RpcRdmaMessage.NoMsg(xid, version, credits, chunks);
    }

    private static Decoded decodeError(
            ByteBuf message, int start, int length, int xid, int version, Direction direction) {
        if (direction == Direction.CALL) {
            return new Rejection( // V1-086, BIS-002
                    Reaction.DISCARD, xid, version, "error sent to a responder", V1.PROC, V1.RDMA_ERROR, V1.RDMA_MSG);
        }
        if (length < V1.ERR_CHUNK_BYTES) {
            return new Rejection( // V1-110
                    Reaction.DISCARD, xid, version, "error too short", V1.ERR, length, V1.ERR_CHUNK_BYTES);
        }
        int error = message.getInt(start + V1.ERR);
        long credits = message.getUnsignedInt(start + V1.CREDIT);
        if (error == V1.ERR_VERS && length == V1.ERR_VERS_BYTES && !isVersion2Error(message, start, version)) {
            // Whatever version the error names. V1-138, BIS-003
            VersionRange supported =
                    new VersionRange(message.getUnsignedInt(start + 20), message.getUnsignedInt(start + 24));
            return new RpcRdmaMessage.ErrorMsg(xid, version, credits, supported);
        }
        if (error == V1.ERR_CHUNK && length == V1.ERR_CHUNK_BYTES && version == V1.VERSION) {
            return new RpcRdmaMessage.ErrorMsg(xid, version, credits, null);
        }
        return new Rejection( // V1-110
                Reaction.DISCARD, xid, version, "undecodable error", V1.ERR, Integer.toUnsignedLong(error), length);
    }

    /** Four of version 2's own errors have the length and, by their flags, word 4 of an ERR_VERS. */
    private static boolean isVersion2Error(ByteBuf message, int start, int version) {
        int code = message.getInt(start + 20);
        return version == 2 && (code == 6 || code == 7 || code == 8 || code == 10);
    }

    /** Builds what the scan has found to be well-formed; {@code at} is the first word of the read list. */
    private ChunkLists readChunks(ByteBuf message, int at) {
        List<ReadSegment> readList = new ArrayList<>(scan.readSegments());
        while (message.getInt(at) != 0) {
            readList.add(new ReadSegment(message.getUnsignedInt(at + 4), segment(message, at + 8)));
            at += 4 + ReadSegment.BYTES;
        }
        at += 4;
        List<WriteChunk> writeList = new ArrayList<>(scan.writeChunks());
        while (message.getInt(at) != 0) {
            WriteChunk chunk = writeChunk(message, at + 4);
            writeList.add(chunk);
            at += 4 + chunk.encodedBytes();
        }
        at += 4;
        @Nullable WriteChunk replyChunk = message.getInt(at) == 0 ? null : writeChunk(message, at + 4);
        return new ChunkLists(readList, writeList, replyChunk);
    }

    private static WriteChunk writeChunk(ByteBuf message, int at) {
        int count = message.getInt(at);
        List<PlainSegment> segments = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            segments.add(segment(message, at + 4 + i * PlainSegment.BYTES));
        }
        return new WriteChunk(segments);
    }

    private static PlainSegment segment(ByteBuf message, int at) {
        return new PlainSegment(message.getInt(at), message.getUnsignedInt(at + 4), message.getLong(at + 8));
    }
}
