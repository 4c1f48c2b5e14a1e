// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Builds an RPC-over-RDMA message with chunks for a {@link HandMadeCapture}. */
final class HandMadeMessage {
    /** Of a segment. */
    record Segment(int handle, int length, long offset) {
        Segment withLength(int other) {
            return new Segment(handle, other, offset);
        }
    }

    private static final int MSG = 0;
    private static final int NOMSG = 1;
    private static final int ERROR = 4;
    private static final int ERR_CHUNK = 2;
    private static final int CALL_PAYLOAD_BYTES = 40;
    private static final int REPLY_PAYLOAD_BYTES = 24;

    private final int xid;
    private final int type;
    private final byte[] payload;
    private final ByteBuffer readList = ByteBuffer.allocate(1024);
    private final ByteBuffer writeList = ByteBuffer.allocate(1024);
    private final List<Segment> replyChunk = new ArrayList<>();

    private HandMadeMessage(int xid, int type, byte[] payload) {
        this.xid = xid;
        this.type = type;
        this.payload = payload;
    }

    /** A call of {@value #CALL_PAYLOAD_BYTES} octets, inline. */
    static HandMadeMessage call(int xid) {
        ByteBuffer call = ByteBuffer.allocate(CALL_PAYLOAD_BYTES);
        call.putInt(xid).putInt(0).putInt(2).putInt(100003).putInt(3);
        return new HandMadeMessage(xid, MSG, call.array());
    }

    /** A reply without a result, inline. */
    static HandMadeMessage reply(int xid) {
        ByteBuffer reply = ByteBuffer.allocate(REPLY_PAYLOAD_BYTES).putInt(xid).putInt(1);
        return new HandMadeMessage(xid, MSG, reply.array());
    }

    /** A message whose payload is in a chunk. */
    static HandMadeMessage without(int xid) {
        return new HandMadeMessage(xid, NOMSG, new byte[0]);
    }

    /** A message that says it has its payload in a chunk, and yet has one. */
    static HandMadeMessage chunkAndPayload(int xid) {
        return new HandMadeMessage(xid, NOMSG, new byte[8]);
    }

    static byte[] error(int xid) {
        return ByteBuffer.allocate(20)
                .putInt(xid)
                .putInt(1)
                .putInt(32)
                .putInt(ERROR)
                .putInt(ERR_CHUNK)
                .array();
    }

    HandMadeMessage read(int position, Segment segment) {
        readList.putInt(1).putInt(position);
        put(readList, segment);
        return this;
    }

    HandMadeMessage write(Segment... chunk) {
        writeList.putInt(1).putInt(chunk.length);
        for (Segment segment : chunk) {
            put(writeList, segment);
        }
        return this;
    }

    HandMadeMessage reply(Segment... chunk) {
        replyChunk.addAll(Arrays.asList(chunk));
        return this;
    }

    private static void put(ByteBuffer list, Segment segment) {
        list.putInt(segment.handle).putInt(segment.length).putLong(segment.offset);
    }

    byte[] octets() {
        ByteBuffer message = ByteBuffer.allocate(4096);
        message.putInt(xid).putInt(1).putInt(32).putInt(type);
        message.put(readList.flip()).putInt(0).put(writeList.flip()).putInt(0);
        message.putInt(replyChunk.isEmpty() ? 0 : 1);
        if (!replyChunk.isEmpty()) {
            message.putInt(replyChunk.size());
            replyChunk.forEach(segment -> put(message, segment));
        }
        message.put(payload);
        return Arrays.copyOf(message.array(), message.position());
    }
}
