// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import org.jspecify.annotations.Nullable;

/**
 * How far the peer is with telling its properties (draft -01, sections 5 and 6.2.2.3). It tells them in one set or
 * several, all of which but the last say that more follow. A set is one message, or the continuation of several (C7).
 * Keeps what has come of a set that is not whole. {@link OwnProperties} knows how far this side is with its own.
 *
 * <p>Threading: confined to one thread. Ownership: of what has come of the set.
 */
final class PropertyExchange {

    /** Messages of properties that a peer may send (C54). */
    static final int MAX_MESSAGES = 16;

    /** Octets of all its properties, as they are on the wire, without the prefixes of headers (C54). */
    static final int MAX_BYTES = 1 << 16;

    /** How far the peer is. */
    enum Phase {
        NONE,
        MORE,
        /** It has sent all. */
        FINAL
    }

    /** The decision about a message of properties. */
    enum Decision {
        /** Append it to what was kept, if anything, and decode that; then {@link #onApplied}, unless it is rejected. */
        COMPLETE,
        /** Keep it until the rest of its set has come. */
        KEEP,
        /** Drop it: its set was broken off before. */
        DROP,
        /**
         * Drop it, with what was kept, and answer {@code INVAL_CONT} to it, and to {@link InboundSequence#lostXid} if
         * that is a call.
         */
        BROKEN,
        /** Drop it, and answer {@code INVAL_HTYPE}: all of this peer's properties were there. */
        AFTER_FINAL,
        /** As {@link #AFTER_FINAL}; and the message under way is lost, as with {@link #BROKEN}. */
        AFTER_FINAL_BROKEN,
        /** Close the connection: too many messages, or octets (C54). */
        TOO_MUCH
    }

    private final Wire wire;
    private final Rdma2Decoder decoder;
    private final InboundSequence sequence;
    private Phase phase = Phase.NONE;
    private int messages;
    private long bytes;
    private @Nullable ByteBuf kept;

    /** @param sequence of all that the peer sends on this connection */
    PropertyExchange(Wire wire, Rdma2Decoder decoder, InboundSequence sequence) {
        this.wire = wire;
        this.decoder = decoder;
        this.sequence = sequence;
    }

    /**
     * Takes a message of properties.
     *
     * @param headerType   of such messages
     * @param more         whether its set is continued by the next message, not whether another set follows
     * @param payloadBytes octets behind the prefix of its header
     */
    Decision receive(int xid, int headerType, boolean more, int payloadBytes) {
        if (isOver()) {
            return switch (sequence.reject(xid, false, more)) {
                case DROP -> Decision.DROP; // answered already (C49)
                case BROKEN -> Decision.AFTER_FINAL_BROKEN; // V2-115
                default -> Decision.AFTER_FINAL; // V2-115
            };
        }
        messages++;
        bytes += payloadBytes;
        if (messages > MAX_MESSAGES || bytes > MAX_BYTES) {
            return Decision.TOO_MUCH; // C54
        }
        return switch (sequence.receive(xid, headerType, false, more, payloadBytes, MAX_BYTES)) { // V2-176
            case WHOLE, LAST -> Decision.COMPLETE;
            case FIRST, NEXT -> Decision.KEEP;
            case DROP -> Decision.DROP;
            case BROKEN -> Decision.BROKEN;
            case TOO_LONG -> Decision.TOO_MUCH;
        };
    }

    /** Whether a part of a set has come, and others are to follow. */
    boolean isWithinSet() {
        return kept != null;
    }

    /** Appends a part to what was kept of the set, and returns that. */
    ByteBuf keep(ByteBuf message) {
        int bytes = message.readableBytes() - Rdma2.PREFIX_BYTES;
        ByteBuf present = kept;
        if (present == null) {
            present = wire.alloc().buffer(bytes);
            kept = present;
        }
        return present.writeBytes(message, message.readerIndex() + Rdma2.PREFIX_BYTES, bytes);
    }

    /** Returns the message with the whole set, or the answer to it. */
    Rdma2Decoded join(ByteBuf last, Rdma2Message.ConnProp header) {
        if (kept == null) {
            return header;
        }
        ByteBuf joined = keep(last);
        try {
            return decoder.decodeJoined(last, joined);
        } finally {
            drop();
        }
    }

    /** Drops what has come of a set that never will be whole. Idempotent. */
    void drop() {
        if (kept != null) {
            kept.release();
            kept = null;
        }
    }

    /**
     * A set of the peer's was applied. One that was rejected counts for nothing: the peer may correct it (C20).
     *
     * @param more whether its last message says that another set follows
     */
    void onApplied(boolean more) {
        phase = more ? Phase.MORE : Phase.FINAL; // V2-113
    }

    /** The peer does without properties, since its first message was a call: it has the defaults (C55). */
    void onPresumed() {
        phase = Phase.FINAL;
    }

    /** How far the peer is. */
    Phase phase() {
        return phase;
    }

    /** Whether its last set was applied. This side has then sent its own last one, or ends the connection. */
    boolean isOver() {
        return phase == Phase.FINAL; // V2-116
    }
}
