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
package io.nettyrdma.rpc.engine;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaEncoder;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;

/**
 * The responder's half of RPC-over-RDMA version 1: which calls are executed, and how their replies travel (RFC 8166,
 * sections 3.3, 4.3 and 4.5).
 *
 * <p>The grant is constant: as many credits as receives are posted for calls. A requester that sends more calls than
 * it was granted is served as long as receives are left; {@link #mayRead} then asks to leave further ones where they
 * are.
 *
 * <p>A call with the XID of one in progress is discarded. The requester broke the rule that outstanding XIDs are
 * unique (RFC 8166, section 4.2.1), the reply on its way completes the one transaction it can mean, executing twice is
 * what a retransmission must never cause, and an error would complete the first call in place of its reply.
 *
 * <p>Calls with read chunks are refused with {@code ERR_CHUNK}. Write chunks and reply chunks are only offers: they are
 * returned unused, with every length 0, and the reply goes inline or, if it does not fit, {@code ERR_CHUNK} in its
 * place.
 *
 * <p>Threading: confined to one thread. Ownership: holds no buffers.
 */
public final class ResponderEngine {

    /** What to do with a received message. */
    public enum Reception {
        /** Hand the payload stream up: it is a call, now in progress. */
        DELIVER,
        /** Drop it, answer nothing. */
        DISCARD,
        /** Drop it, answer {@code ERR_CHUNK}. */
        SEND_ERR_CHUNK,
        /** Drop it, answer {@code ERR_VERS}. */
        SEND_ERR_VERS
    }

    /** What to do with a reply. */
    public sealed interface Disposal {

        /**
         * Send it as {@code RDMA_MSG}.
         *
         * @param chunks to be returned in the header
         */
        record SendInline(ChunkLists chunks) implements Disposal {}

        /**
         * Send {@code ERR_CHUNK} in its place: it cannot be conveyed.
         *
         * @param bytes          header and reply
         * @param thresholdBytes what would have fitted
         */
        record SendErrChunk(int bytes, int thresholdBytes) implements Disposal {}

        /** Send nothing: no call in progress has this XID. */
        record Drop() implements Disposal {}
    }

    private static final Disposal SEND_WITHOUT_CHUNKS = new Disposal.SendInline(ChunkLists.ABSENT);
    private static final Disposal DROP = new Disposal.Drop();

    private final int credits;
    private final int maxCallsInProgress;
    private final IntObjectMap<ChunkLists> inProgress = new IntObjectHashMap<>();
    private InlineThresholds thresholds = InlineThresholds.DEFAULTS;

    /**
     * @param credits            to grant; receives posted for calls, at least 1
     * @param maxCallsInProgress calls at which no more are read, at least {@code credits}
     */
    public ResponderEngine(int credits, int maxCallsInProgress) {
        if (credits < 1 || maxCallsInProgress < credits) {
            throw new IllegalArgumentException( // V1-013
                    "credits " + credits + ", calls in progress " + maxCallsInProgress);
        }
        this.credits = credits;
        this.maxCallsInProgress = maxCallsInProgress;
    }

    /** Sets the thresholds of the connection; until then the defaults hold. */
    public void setThresholds(InlineThresholds thresholds) {
        this.thresholds = thresholds;
    }

    /** Credits to put into every header. */
    public int credits() {
        return credits; // V1-011, V1-015
    }

    /** Calls handed up and not answered. */
    public int callsInProgress() {
        return inProgress.size();
    }

    /** Whether more calls may be taken from the channel. */
    public boolean mayRead() {
        return inProgress.size() < maxCallsInProgress;
    }

    /** Takes a decoded message. */
    public Reception received(Decoded decoded) {
        if (decoded instanceof Rejection rejection) {
            return switch (rejection.reaction()) {
                case DISCARD -> Reception.DISCARD;
                case ERR_CHUNK -> Reception.SEND_ERR_CHUNK; // V1-106
                case ERR_VERS -> Reception.SEND_ERR_VERS;
            };
        }
        RpcRdmaMessage message = (RpcRdmaMessage) decoded;
        if (message instanceof RpcRdmaMessage.ErrorMsg || inProgress.containsKey(message.xid())) {
            return Reception.DISCARD; // V1-001
        }
        if (message instanceof RpcRdmaMessage.Msg call
                && call.chunks().readList().isEmpty()) {
            inProgress.put(call.xid(), call.chunks());
            return Reception.DELIVER;
        }
        return Reception.SEND_ERR_CHUNK; // arguments in read chunks, or the whole call. V1-132, V1-133
    }

    /**
     * Ends a call with a reply.
     *
     * @param payloadBytes length of the RPC reply
     */
    public Disposal replied(int xid, int payloadBytes) {
        ChunkLists offered = inProgress.remove(xid);
        if (offered == null) {
            return DROP; // V1-019
        }
        ChunkLists returned = offered.asUnused(); // V1-051
        long bytes = (long) RpcRdmaEncoder.headerBytes(returned) + payloadBytes;
        if (bytes > thresholds.replyBytes()) {
            // V1-087, V1-117, BIS-013
            return new Disposal.SendErrChunk((int) Math.min(bytes, Integer.MAX_VALUE), thresholds.replyBytes());
        }
        return returned.areAbsent() ? SEND_WITHOUT_CHUNKS : new Disposal.SendInline(returned);
    }

    /**
     * Ends a call without a reply.
     *
     * @return whether such a call was in progress and {@code ERR_CHUNK} is to be sent
     */
    public boolean abandoned(int xid) {
        return inProgress.remove(xid) != null;
    }

    /** Forgets all calls: their replies cannot be sent any more. */
    public void connectionLost() {
        inProgress.clear();
    }
}
