// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.session.ProcessMemory;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Rejection;
import io.nettyrdma.rpc.wire.v2.Rdma2Sequence;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Joins fragments that follow each other to whole RPC messages. They are copied out of their Receives, so that these
 * can be posted again before their credits are granted again; memory is taken as octets come (C50).
 *
 * <p>Threading: confined to one thread. Ownership: messages that are given are taken over; owns what is not whole yet.
 */
final class Fragments {

    /** Octets of the XID and the type of an RPC message. */
    private static final int START_BYTES = 8;

    /** The outcome of a received message, for itself and for the message under way. */
    sealed interface Arrival {

        /** A fragment is kept, or dropped. */
        Arrival NOTHING = new Nothing();

        /** A message begins: {@link Fragments#begin} or {@link Fragments#decline} is next. */
        Arrival FIRST = new First();

        /** A call that had begun never will be whole, and was answered otherwise. */
        Arrival ABANDONED = new Abandoned();
    }

    private record Nothing() implements Arrival {}

    private record First() implements Arrival {}

    private record Abandoned() implements Arrival {}

    /**
     * A message is whole.
     *
     * @param payload   the payload stream, the caller's from now on
     * @param fragments that it came in, 1 or more
     */
    record Whole(ByteBuf payload, int fragments) implements Arrival {}

    /**
     * A call never will be whole.
     *
     * @param begun whether its first fragment was taken
     * @param error what it is answered with
     */
    record CallLost(int xid, boolean begun, Rdma2Error error) implements Arrival {}

    /** A reply never will be whole. */
    record ReplyLost(RpcRdmaException why) implements Arrival {}

    /**
     * A message has broken the one under way.
     *
     * @param before what became of that one
     * @param itself what becomes of the message
     */
    record Broken(Arrival before, Arrival itself) implements Arrival {}

    private final Wire wire;
    private final InboundSequence sequence;
    private final Version2Settings limits;
    private final ProcessMemory memory;
    private final Rdma2Decoder decoder;
    private final int maxCallBytes;
    private final int maxReplyBytes;
    private @Nullable ByteBuf joined;
    /** At which what is joined must be whole, if others wait for its memory then. */
    private long deadlineNanos;

    /** At which it must be whole. */
    private long lastNanos;

    private boolean checked;
    private int parts;
    private boolean closed;
    private int xid;
    private boolean response;

    /**
     * @param sequence of all that the peer sends on this connection
     * @param maxCallBytes octets of a call in fragments at most; 0 if there may be none
     * @param maxReplyBytes octets of a reply in fragments, likewise
     */
    Fragments(
            Wire wire,
            InboundSequence sequence,
            Rdma2Decoder decoder,
            int maxCallBytes,
            int maxReplyBytes,
            Version2Settings limits) {
        this.sequence = sequence;
        this.limits = limits;
        memory = ProcessMemory.ofMessages(limits.maxWaitingBytes());
        this.decoder = decoder;
        this.maxCallBytes = maxCallBytes;
        this.maxReplyBytes = maxReplyBytes;
        this.wire = wire;
    }

    /** Whether a message is under way. */
    Rdma2Sequence sequence() {
        return joined == null ? Rdma2Sequence.NONE : Rdma2Sequence.PAYLOAD;
    }

    /** Takes over a valid {@code RDMA2_MSG} or {@code RDMA2_NOMSG}, but not if it is a {@link Arrival#FIRST}. */
    Arrival receive(Rdma2Message header, ByteBuf message) {
        boolean response = header.response();
        boolean more = header.more();
        int type = header instanceof Rdma2Message.Msg ? Rdma2.MSG : Rdma2.NOMSG;
        int payload = message.readableBytes() - Rdma2Encoder.encodedBytes(header);
        int maxBytes = response ? maxReplyBytes : maxCallBytes;
        return switch (sequence.receive(header.xid(), type, response, more, payload, maxBytes)) {
            case WHOLE -> new Whole(payload(header, message), 1);
            case FIRST -> Arrival.FIRST;
            case NEXT -> append(header, message, false);
            case LAST -> append(header, message, true);
            case DROP -> {
                message.release();
                yield Arrival.NOTHING;
            }
            case BROKEN -> {
                message.release();
                boolean both = !isLost(header.xid(), response);
                yield new Broken(
                        breakOff(),
                        both ? lost(header.xid(), false, response, Rdma2Error.INVAL_CONT) : Arrival.NOTHING); // C15
            }
            case TOO_LONG -> {
                message.release();
                boolean begun = forget();
                if (!response) {
                    yield new CallLost(header.xid(), begun, Rdma2Error.INVAL_CONT); // C50
                }
                yield new ReplyLost(
                        new MessageTooLargeException( // C50
                                header.xid(),
                                "the reply has " + sequence.lengthBytes() + " bytes or more,"
                                        + " RpcRdmaVersion2Settings.maxContinuedBytes is " + maxBytes
                                        + ": raise it, or set RpcRdmaCall.maxReplyBytes to offer a reply chunk"));
            }
        };
    }

    /** Takes over the first fragment of a message that is wanted. */
    Arrival begin(Rdma2Message header, ByteBuf message) {
        if (closed) {
            message.release();
            return Arrival.NOTHING;
        }
        checked = false;
        parts = 0;
        xid = header.xid();
        response = header.response();
        return append(header, message, false);
    }

    /** Takes over the first fragment of a message that is not wanted: the others are dropped. */
    Arrival decline(ByteBuf message) {
        sequence.giveUp();
        message.release();
        return Arrival.NOTHING;
    }

    private static Arrival lost(int xid, boolean begun, boolean response, Rdma2Error error) {
        return response
                ? new ReplyLost(
                        new MalformedRpcMessageException(xid, "the reply came in fragments that make no message"))
                : new CallLost(xid, begun, error);
    }

    private Arrival append(Rdma2Message header, ByteBuf message, boolean last) {
        @Nullable Rdma2Error error;
        parts++;
        boolean hasRoom = true;
        try {
            @Nullable ByteBuf whole = join(header, message);
            hasRoom = whole != null;
            error = whole == null ? Rdma2Error.SYSTEM : check(message, whole, last);
        } catch (OutOfMemoryError e) { // of direct memory, whose limit peers can reach
            error = Rdma2Error.SYSTEM;
        } finally {
            message.release();
        }
        if (error != null) {
            sequence.giveUp(); // V2-182 (C49)
            forget();
            return response && !hasRoom
                    ? new ReplyLost(new MessageTooLargeException(
                            header.xid(), ProcessMemory.exceeded(sequence.lengthBytes(), limits.maxWaitingBytes())))
                    : lost(header.xid(), true, response, error);
        }
        return last ? new Whole(Objects.requireNonNull(takeJoined()), parts) : Arrival.NOTHING;
    }

    /** @param whole what has come of the message */
    private @Nullable Rdma2Error check(ByteBuf message, ByteBuf whole, boolean last) {
        @Nullable Rdma2Error error = null;
        if (!checked && (last || whole.readableBytes() >= START_BYTES)) {
            checked = true;
            error = errorOf(decoder.checkStart(message, whole));
        }
        if (error == null && last) {
            error = errorOf(decoder.checkLast(message, whole.readableBytes()));
        }
        return error;
    }

    /** Returns what has come of the message; {@code null} if there is no room for more of it. */
    private @Nullable ByteBuf join(Rdma2Message header, ByteBuf message) {
        int from = message.readerIndex() + Rdma2Encoder.encodedBytes(header);
        int bytes = message.writerIndex() - from;
        if (!memory.hasRoomFor(bytes)) {
            return null; // C64
        }
        ByteBuf whole = joined;
        if (whole == null) {
            whole = wire.alloc().buffer(bytes);
            joined = whole;
            long timeoutNanos = limits.continuationTimeoutNanos();
            lastNanos = wire.nanoTime() + timeoutNanos;
            deadlineNanos = wire.nanoTime() + timeoutNanos / ProcessMemory.PATIENCE_PART;
            wire.wakeBy(deadlineNanos);
        }
        memory.take(bytes);
        return whole.writeBytes(message, from, bytes);
    }

    long deadlineNanos() {
        return joined == null ? Version2Connection.NO_DEADLINE : deadlineNanos;
    }

    /** Sets the deadline back if it has passed at this time and nobody else needs the memory. */
    void onTime(long nanos) {
        long part = limits.continuationTimeoutNanos() / ProcessMemory.PATIENCE_PART;
        if (joined != null && nanos >= deadlineNanos && !memory.isAwaited()) {
            deadlineNanos = Math.min(lastNanos, nanos + part);
        }
    }

    /** Returns the end of a connection whose peer has kept this side waiting for the rest of a message. */
    ConnectionFailedException standstill() {
        int bytes = joined == null ? 0 : joined.readableBytes();
        long waited = limits.continuationTimeoutNanos() - (lastNanos - deadlineNanos);
        return new ConnectionFailedException(
                xid,
                Reason.TOO_SLOW,
                "a message of which " + bytes + " bytes have come is not complete after "
                        + TimeUnit.NANOSECONDS.toMillis(waited)
                        + " ms, which is RpcRdmaConfig.peerTimeout, or a part of it if others wait for the memory");
    }

    private static @Nullable Rdma2Error errorOf(@Nullable Rdma2Rejection rejection) {
        if (rejection == null) {
            return null;
        }
        return rejection.error() == null ? Rdma2Error.BAD_XDR : rejection.error();
    }

    /** Returns the octets behind the header, in place of the message. Programs may count on its index 0. */
    private static ByteBuf payload(Rdma2Message header, ByteBuf message) {
        int headerBytes = Rdma2Encoder.encodedBytes(header);
        ByteBuf payload =
                message.retainedSlice(message.readerIndex() + headerBytes, message.readableBytes() - headerBytes);
        message.release();
        return payload;
    }

    /**
     * Takes notice of a message that was rejected before it came here.
     *
     * @return what that does to others, and to the reply that it may have begun; {@code null} if it belongs to what is
     *     dropped, so that it needs no answer
     */
    @Nullable
    Arrival reject(Rdma2Rejection rejection) {
        if (rejection.type() == Rdma2.ERROR) {
            return Arrival.NOTHING; // it breaks no sequence (C16)
        }
        return switch (sequence.reject(rejection.xid(), rejection.response(), rejection.more())) {
            case DROP -> null;
            case BROKEN -> {
                Arrival before = breakOff();
                boolean both = !isLost(rejection.xid(), rejection.response());
                yield new Broken(before, both ? replyLostBy(rejection) : Arrival.NOTHING); // C15
            }
            case WHOLE -> replyLostBy(rejection);
            default -> Arrival.NOTHING;
        };
    }

    /** The first fragment of a reply was rejected, so that what follows of it is dropped. V2-109 */
    private static Arrival replyLostBy(Rdma2Rejection rejection) {
        boolean payload = rejection.type() == Rdma2.MSG || rejection.type() == Rdma2.NOMSG;
        return payload && rejection.response() && rejection.more()
                ? lost(rejection.xid(), false, true, Rdma2Error.INVAL_CONT) // C49
                : Arrival.NOTHING;
    }

    private boolean isLost(int xid, boolean response) {
        return xid == sequence.lostXid() && response == sequence.isLostAReply();
    }

    /**
     * Lets go of what is no longer under way: another message of its transaction has ended it, and if it was a call,
     * has been answered for that.
     */
    Arrival settle() {
        if (joined == null || isJoining()) {
            return Arrival.NOTHING;
        }
        forget();
        return response ? lost(xid, true, true, Rdma2Error.INVAL_CONT) : Arrival.ABANDONED; // C49
    }

    /** Whether fragments of payload or of properties are under way. */
    boolean isJoining() {
        return sequence.isJoining();
    }

    /** Ends what was under way, as another message has broken it. */
    Arrival breakOff() {
        boolean begun = forget();
        return lost(sequence.lostXid(), begun, sequence.isLostAReply(), Rdma2Error.INVAL_CONT);
    }

    private boolean forget() {
        ByteBuf whole = takeJoined();
        if (whole == null) {
            return false;
        }
        whole.release();
        return true;
    }

    private @Nullable ByteBuf takeJoined() {
        ByteBuf whole = joined;
        joined = null;
        memory.give(memory.bytes());
        return whole;
    }

    /** Nothing comes any more. */
    void onClosed() {
        closed = true;
        forget();
        memory.close();
    }
}
