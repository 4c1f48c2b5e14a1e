// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

/**
 * One side of flow control: decides when a message may be sent, which trailer it has, and when one without data is due.
 *
 * <p>Counts of messages wrap at 2<sup>32</sup>, and those of messages without data at 2<sup>16</sup>; what is compared
 * is always a difference.
 *
 * <p>Threading: confined to the event loop.
 */
public final class FlowExchange {

    /** Receives that are kept for messages without data: two that raise the limit, and an answer. */
    public static final int RESERVED_RECEIVES = 3;

    private static final int MAX_UNDER_WAY = RESERVED_RECEIVES - 1;
    private static final int EMPTY_MODULO = 0xffff;

    private final int ownWindow;
    private final int peerWindow;
    /** So many consumed messages are worth a message without data. */
    private final int threshold;

    private int sent;
    private int peerLimit;
    private int received;
    private int consumed;
    /** The limit in the last trailer. */
    private int announced;
    /** The limit in the last trailer that was flushed. */
    private int announcedLimit;

    private boolean unflushed;

    /** Whether the peer waits for a report of the message {@link #reportFrom}, or of one of those behind it. */
    private boolean reports;

    private int reportFrom;
    private int reportTo;

    private int emptySent;
    private int emptyReturned;
    private int emptyReceived;
    /** The count of {@link #emptyReceived} in the last trailer. */
    private int emptyTold;

    private boolean answerDue;
    /** Whether a trailer that was not flushed is the answer. */
    private boolean answerWritten;
    /** Whether the one with the number {@link #askedNumber} asks for an answer that has not come. */
    private boolean awaitsAnswer;

    private int askedNumber;

    /** Both sides have offered. */
    public FlowExchange(FlowOffer own, FlowOffer peer) {
        ownWindow = own.window();
        peerWindow = peer.window();
        threshold = Math.max(1, ownWindow / 2);
        announced = ownWindow;
        announcedLimit = ownWindow;
        peerLimit = peerWindow;
    }

    /** Returns how many messages with data may be sent now. */
    public int credits() {
        return peerLimit - sent;
    }

    /** Returns the number of the last message with data that was sent, from 1 on. */
    public int sent() {
        return sent;
    }

    /** Returns whether the peer's application has consumed the message with that number. */
    public boolean isConsumedByPeer(int number) {
        return peerLimit - peerWindow - number >= 0;
    }

    /**
     * Counts a message with data, which the caller sends next.
     *
     * @param more   whether another piece of the same message follows
     * @param report whether the peer is to say soon that it is consumed
     * @return its trailer
     * @throws IllegalStateException without credit
     */
    public long data(boolean more, boolean report) {
        if (credits() <= 0) {
            throw new IllegalStateException("no credit; the peer must first raise its limit of " + peerLimit);
        }
        sent++;
        return trailer((more ? FlowTrailer.MORE : 0) | (report ? FlowTrailer.REPORT : 0));
    }

    /**
     * Returns whether the peer has to hear something, by a message without data if {@linkplain #hasUnflushed() nothing
     * else} waits to be flushed.
     */
    public boolean isEmptyDue() {
        return answerDue || isLimitDue() && emptyUnderWay() < MAX_UNDER_WAY;
    }

    private boolean isLimitDue() {
        return consumed + ownWindow - announcedLimit >= threshold || reports && consumed - reportFrom >= 0;
    }

    /** Returns whether messages were counted that were not flushed. */
    public boolean hasUnflushed() {
        return unflushed;
    }

    /** All messages that were counted are flushed: the peer will hear what their trailers say. */
    public void onFlushed() {
        if (!unflushed) {
            return;
        }
        unflushed = false;
        announcedLimit = announced;
        int reported = announcedLimit - ownWindow;
        if (reports && reported - reportFrom >= 0) {
            reports = reportTo - reported > 0;
            reportFrom = reported + 1;
        }
        if (answerWritten) {
            answerDue = false;
            answerWritten = false;
        }
    }

    /** Counts a message without data, which the caller sends next, and returns it: it is nothing but this trailer. */
    public long empty() {
        if (answerDue && !answerWritten) {
            return trailer(FlowTrailer.EMPTY | FlowTrailer.ANSWER);
        }
        emptySent = emptySent + 1 & EMPTY_MODULO;
        if (awaitsAnswer || emptyUnderWay() < MAX_UNDER_WAY) {
            return trailer(FlowTrailer.EMPTY);
        }
        awaitsAnswer = true;
        askedNumber = emptySent;
        return trailer(FlowTrailer.EMPTY | FlowTrailer.ASK);
    }

    /** Returns the message without data that ends the connection if not all that was flushed has been sent. */
    public long cut() {
        return trailer(FlowTrailer.EMPTY | FlowTrailer.CUT);
    }

    private int emptyUnderWay() {
        return emptySent - emptyReturned & EMPTY_MODULO;
    }

    private long trailer(long flags) {
        unflushed = true;
        announced = consumed + ownWindow;
        answerWritten = answerDue;
        emptyTold = emptyReceived;
        return FlowTrailer.of(flags, emptyReceived, announced);
    }

    /**
     * Takes the trailer of a message of the peer.
     *
     * @return whether the message has data, which is {@linkplain #consume() consumed} later
     * @throws FlowProtocolException if the peer sends what it must not send
     */
    public boolean receive(long trailer) throws FlowProtocolException {
        FlowTrailer.check(trailer);
        if (FlowTrailer.isAnswer(trailer) && !awaitsAnswer) {
            throw new FlowProtocolException("answer of the peer, which was not asked for one");
        }
        takeReturned(FlowTrailer.returned(trailer));
        takeLimit(FlowTrailer.limit(trailer));
        if (FlowTrailer.hasData(trailer)) {
            takeData(trailer);
            return true;
        }
        if (!FlowTrailer.isAnswer(trailer) && !FlowTrailer.isCut(trailer)) {
            takeEmpty();
        }
        answerDue |= FlowTrailer.asks(trailer);
        return false;
    }

    private void takeData(long trailer) throws FlowProtocolException {
        if (announced - received <= 0) {
            throw new FlowProtocolException("the peer has sent more than the " + Integer.toUnsignedString(announced)
                    + " messages of its limit");
        }
        received++;
        if (FlowTrailer.wantsReport(trailer)) {
            reportTo = received;
            if (!reports) {
                reports = true;
                reportFrom = received;
            }
        }
    }

    private void takeEmpty() throws FlowProtocolException {
        emptyReceived = emptyReceived + 1 & EMPTY_MODULO;
        if ((emptyReceived - emptyTold & EMPTY_MODULO) > MAX_UNDER_WAY) {
            throw new FlowProtocolException("more than " + MAX_UNDER_WAY
                    + " messages of the peer without data, of which it does not know that they have arrived");
        }
    }

    private void takeReturned(int returned) throws FlowProtocolException {
        int ahead = returned - emptyReturned & EMPTY_MODULO;
        if (ahead > emptyUnderWay()) {
            throw new FlowProtocolException("the peer says that " + returned + " messages without data have arrived"
                    + " (expected: " + emptyReturned + " to " + emptySent + ", modulo 65536)");
        }
        emptyReturned = returned;
        if (awaitsAnswer && (emptySent - askedNumber & EMPTY_MODULO) >= emptyUnderWay()) {
            awaitsAnswer = false;
        }
    }

    private void takeLimit(int limit) throws FlowProtocolException {
        int ahead = limit - sent;
        if (ahead < credits() || ahead > peerWindow) {
            throw new FlowProtocolException("limit of the peer: " + Integer.toUnsignedString(limit) + " (expected: "
                    + Integer.toUnsignedString(peerLimit) + " to " + Integer.toUnsignedString(sent + peerWindow)
                    + ", modulo 2^32)");
        }
        peerLimit = limit;
    }

    /** The application has consumed the oldest message with data that it has not consumed before. */
    public void consume() {
        if (received - consumed <= 0) {
            throw new IllegalStateException(
                    "consumed: " + Integer.toUnsignedString(consumed) + ", and no more received");
        }
        consumed++;
    }
}
