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
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.error.SlowPeerException;
import io.nettyrdma.rpc.session.LoopMemory;
import io.nettyrdma.rpc.session.StandstillTimer;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Rejection;
import io.nettyrdma.rpc.wire.v2.Rdma2Sequence;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes whole RPC messages of fragments that follow each other. They are copied out of their Receives, so that these
 * can be posted again before their credits are granted again; memory is taken as octets come (C50).
 *
 * <p>Threading: confined to one thread. Ownership: messages that are given are taken over; owns what is not whole yet.
 */
final class FragmentJoin {

    /** Octets of the XID and the type of an RPC message. */
    private static final int START_BYTES = 8;

    /** Who takes what has come. */
    interface Receiver {

        /**
         * The first fragment of a message has come, and no message before it is under way.
         *
         * @return whether the message is wanted: otherwise its other fragments are dropped
         */
        boolean wantsFirst(ChannelHandlerContext ctx, Rdma2Message header);

        /**
         * A message is whole.
         *
         * @param header  of its last fragment
         * @param payload the payload stream, the receiver's from now on
         */
        void onWhole(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload);

        /**
         * The fragments of a message are joined and valid; {@link #onWhole} follows.
         *
         * @param header    of the last fragment
         * @param fragments how many there were
         * @param bytes     octets of the payload stream
         */
        void onJoined(ChannelHandlerContext ctx, Rdma2Message header, int fragments, int bytes);

        /** A call of which {@link #wantsFirst} has told never will be whole, and is answered by somebody else. */
        void onAbandoned();

        /**
         * A message never will be whole, nor will a set of properties that is under way.
         *
         * @param begun    whether {@link #wantsFirst} has told of it
         * @param response whether it was a reply
         * @param error    what a call is answered with
         */
        void onLost(ChannelHandlerContext ctx, int xid, boolean begun, boolean response, Rdma2Error error);

        /** The peer keeps this side waiting for the rest of a message. */
        void onSlowPeer(ChannelHandlerContext ctx, SlowPeerException why);

        /** Returns the answer to a call that is going to be refused. */
        CreditLedger.Answer owe();

        /**
         * Refuses a call.
         *
         * @param error what it is answered with
         */
        void refuse(ChannelHandlerContext ctx, int xid, Rdma2Error error, CreditLedger.Answer owed);

        /**
         * A reply never will be whole, as it is longer than this side takes (C50).
         *
         * @param bytes    octets of its payload stream so far
         * @param maxBytes octets that this side takes
         */
        void onReplyTooLong(int xid, long bytes, int maxBytes);

        /**
         * A reply never will be whole, as its event loop has no room for more of it (C64).
         *
         * @param bytes octets of its payload stream so far
         */
        void onReplyWithoutRoom(int xid, long bytes);
    }

    private final InboundSequence sequence;
    private final Version2Settings limits;
    private final StandstillTimer unfinished;
    private LoopMemory.@Nullable Account account;
    private final Rdma2Decoder decoder;
    private final int maxCallBytes;
    private final int maxReplyBytes;
    private final Receiver receiver;
    private @Nullable ByteBuf joined;
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
    FragmentJoin(
            InboundSequence sequence,
            Rdma2Decoder decoder,
            int maxCallBytes,
            int maxReplyBytes,
            Version2Settings limits,
            Receiver receiver) {
        this.sequence = sequence;
        this.limits = limits;
        unfinished = new StandstillTimer(limits.continuationTimeoutNanos(), this::endStandstill);
        this.decoder = decoder;
        this.maxCallBytes = maxCallBytes;
        this.maxReplyBytes = maxReplyBytes;
        this.receiver = receiver;
    }

    /** Whether a message is under way. */
    Rdma2Sequence sequence() {
        return joined == null ? Rdma2Sequence.NONE : Rdma2Sequence.PAYLOAD;
    }

    /** Takes a valid {@code RDMA2_MSG} or {@code RDMA2_NOMSG}. */
    void receive(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf message) {
        boolean response = header.response();
        boolean more = header.more();
        int type = header instanceof Rdma2Message.Msg ? Rdma2.MSG : Rdma2.NOMSG;
        int payload = message.readableBytes() - Rdma2Encoder.encodedBytes(header);
        int maxBytes = response ? maxReplyBytes : maxCallBytes;
        switch (sequence.receive(header.xid(), type, response, more, payload, maxBytes)) {
            case WHOLE -> receiver.onWhole(ctx, header, payload(header, message));
            case FIRST -> {
                checked = false;
                parts = 0;
                xid = header.xid();
                this.response = response;
                boolean wanted = receiver.wantsFirst(ctx, header);
                if (!wanted) {
                    sequence.giveUp();
                }
                if (closed || !wanted) {
                    message.release();
                    return;
                }
                append(ctx, header, message, false);
            }
            case NEXT -> append(ctx, header, message, false);
            case LAST -> append(ctx, header, message, true);
            case DROP -> message.release();
            case BROKEN -> {
                message.release();
                boolean both = !isLost(header.xid(), response);
                // V2-015: owed before the other one is answered
                CreditLedger.@Nullable Answer owed = both && !response ? receiver.owe() : null;
                breakOff(ctx);
                if (both && response) {
                    receiver.onLost(ctx, header.xid(), false, true, Rdma2Error.INVAL_CONT); // C15
                } else if (owed != null) {
                    receiver.refuse(ctx, header.xid(), Rdma2Error.INVAL_CONT, owed); // C15
                }
            }
            case TOO_LONG -> {
                message.release();
                boolean begun = forget();
                if (response) {
                    receiver.onReplyTooLong(header.xid(), sequence.lengthBytes(), maxBytes); // C50
                } else {
                    receiver.onLost(ctx, header.xid(), begun, false, Rdma2Error.INVAL_CONT); // C50
                }
            }
        }
    }

    private void append(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf message, boolean last) {
        @Nullable Rdma2Error error;
        parts++;
        boolean hasRoom = true;
        try {
            @Nullable ByteBuf whole = join(ctx, header, message);
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
            if (response && !hasRoom) {
                receiver.onReplyWithoutRoom(header.xid(), sequence.lengthBytes());
            } else {
                receiver.onLost(ctx, header.xid(), true, response, error);
            }
        } else if (last) {
            ByteBuf whole = Objects.requireNonNull(takeJoined());
            receiver.onJoined(ctx, header, parts, whole.readableBytes());
            receiver.onWhole(ctx, header, whole);
        }
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
    private @Nullable ByteBuf join(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf message) {
        int from = message.readerIndex() + Rdma2Encoder.encodedBytes(header);
        int bytes = message.writerIndex() - from;
        if (!account(ctx).hasRoomFor(bytes)) {
            return null; // C64
        }
        ByteBuf whole = joined;
        if (whole == null) {
            whole = ctx.alloc().buffer(bytes);
            joined = whole;
            unfinished.start(ctx);
        }
        account(ctx).take(xid, bytes);
        return whole.writeBytes(message, from, bytes);
    }

    private LoopMemory.Account account(ChannelHandlerContext ctx) {
        LoopMemory.Account present = account;
        if (present == null) {
            present = LoopMemory.open(
                    limits.maxWaitingBytesPerLoop(), ctx.executor(), why -> receiver.onSlowPeer(ctx, why));
            account = present;
        }
        return present;
    }

    private void endStandstill(ChannelHandlerContext ctx) {
        if (joined != null) {
            receiver.onSlowPeer(
                    ctx, SlowPeerException.unfinished(xid, joined.readableBytes(), limits.continuationTimeoutNanos()));
        }
    }

    private static @Nullable Rdma2Error errorOf(@Nullable Rdma2Rejection rejection) {
        if (rejection == null) {
            return null;
        }
        return rejection.error() == null ? Rdma2Error.BAD_XDR : rejection.error();
    }

    /** What follows the header, in place of the message. Programs may count on its index 0. */
    private static ByteBuf payload(Rdma2Message header, ByteBuf message) {
        int headerBytes = Rdma2Encoder.encodedBytes(header);
        ByteBuf payload =
                message.retainedSlice(message.readerIndex() + headerBytes, message.readableBytes() - headerBytes);
        message.release();
        return payload;
    }

    /**
     * A message was rejected before it came here.
     *
     * @return whether it is to be answered
     */
    boolean reject(ChannelHandlerContext ctx, Rdma2Rejection rejection) {
        if (rejection.type() == Rdma2.ERROR) {
            return true; // it breaks no sequence (C16)
        }
        switch (sequence.reject(rejection.xid(), rejection.response(), rejection.more())) {
            case DROP -> {
                return false;
            }
            case BROKEN -> {
                breakOff(ctx);
                if (!isLost(rejection.xid(), rejection.response())) {
                    failReply(ctx, rejection); // C15
                }
            }
            case WHOLE -> failReply(ctx, rejection);
            default -> {}
        }
        return true;
    }

    /** The first fragment of a reply was rejected, so that what follows of it is dropped. V2-109 */
    private void failReply(ChannelHandlerContext ctx, Rdma2Rejection rejection) {
        boolean payload = rejection.type() == Rdma2.MSG || rejection.type() == Rdma2.NOMSG;
        if (payload && rejection.response() && rejection.more()) {
            receiver.onLost(ctx, rejection.xid(), false, true, Rdma2Error.INVAL_CONT); // C49
        }
    }

    private boolean isLost(int xid, boolean response) {
        return xid == sequence.lostXid() && response == sequence.isLostAReply();
    }

    /**
     * Lets go of what is no longer under way: another message of its transaction has ended it, and if it was a call,
     * has been answered for that.
     */
    void settle(ChannelHandlerContext ctx) {
        if (joined != null && !isJoining()) {
            forget();
            if (response) {
                receiver.onLost(ctx, xid, true, true, Rdma2Error.INVAL_CONT); // C49
            } else {
                receiver.onAbandoned();
            }
        }
    }

    /** Whether fragments of payload or of properties are under way. */
    boolean isJoining() {
        return sequence.isJoining();
    }

    /** What was under way is broken by another message. */
    void breakOff(ChannelHandlerContext ctx) {
        boolean begun = forget();
        receiver.onLost(ctx, sequence.lostXid(), begun, sequence.isLostAReply(), Rdma2Error.INVAL_CONT);
    }

    /** Returns whether there was something. */
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
        unfinished.stop();
        if (account != null) {
            account.give(account.bytes());
        }
        return whole;
    }

    /** Nothing comes any more. */
    void onClosed() {
        closed = true;
        forget();
        unfinished.close();
        if (account != null) {
            account.close();
        }
    }
}
