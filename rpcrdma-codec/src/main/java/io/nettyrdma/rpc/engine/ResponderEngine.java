// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The responder's half of RPC-over-RDMA: which calls are executed, and how their replies travel (RFC 8166,
 * sections 3.3, 4.3 and 4.5).
 *
 * <p>The grant is what the application sets, never more than the receives that are posted for calls. A requester that
 * sends more calls than it was granted is served as long as receives are left; {@link #mayRead} then asks to leave
 * further ones where they are.
 *
 * <p>A call with the XID of one in progress is discarded. The requester broke the rule that outstanding XIDs are
 * unique (RFC 8166, section 4.2.1), the reply on its way completes the one transaction it can mean, executing twice is
 * what a retransmission must never cause, and an error would complete the first call in place of its reply.
 *
 * <p>Threading: confined to one thread. Ownership: holds no buffers.
 */
public final class ResponderEngine {

    /** What to do with a received message. */
    public sealed interface Reception {

        /** Hand the payload stream up. */
        record Deliver(ResponderCall call) implements Reception {}

        /** Pull the read chunks, and hand the call up when it is complete. */
        record Pull(ResponderCall call, ReadPlan plan) implements Reception {}

        /** Drop it, and answer as the rejection says. */
        record Reject(Rejection rejection) implements Reception {}

        /** Drop it, answer nothing. */
        record Discard() implements Reception {}
    }

    /** How a call ends that has been replied to: as a plan says, or by an error. */
    public sealed interface Disposal permits ReplyPlan, Disposal.SendErrChunk {

        /**
         * Send {@code ERR_CHUNK} in its place: it cannot be conveyed.
         *
         * @param bytes      octets that had to go somewhere
         * @param limitBytes octets that fit there
         * @param where      the place
         * @param shortage   what the call should have offered
         */
        record SendErrChunk(long bytes, long limitBytes, String where, ReplyShortage shortage) implements Disposal {}
    }

    private static final Reception DISCARD = new Reception.Discard();

    private final int maxCredits;
    private final int maxCallsInProgress;
    private final int maxCallBytes;
    private final IntObjectMap<ResponderCall> inProgress = new IntObjectHashMap<>();
    private int credits;
    private int listsOffset;
    private int thresholdBytes = InlineThresholds.DEFAULTS.replyBytes();
    private int lastRoomBytes;
    private int longestReplyBytes = thresholdBytes;
    private boolean remoteInvalidation;

    /**
     * @param maxCredits         receives posted for calls, at least 1; as many are granted until {@link #setCredits}
     * @param maxCallsInProgress calls at which no more are read, at least {@code maxCredits}
     * @param maxCallBytes       longest call with read chunks
     */
    public ResponderEngine(int maxCredits, int maxCallsInProgress, int maxCallBytes) {
        if (maxCredits < 1 || maxCallsInProgress < maxCredits) {
            throw new IllegalArgumentException( // V1-013
                    "credits " + maxCredits + ", calls in progress " + maxCallsInProgress);
        }
        this.maxCredits = maxCredits;
        this.maxCallsInProgress = maxCallsInProgress;
        this.maxCallBytes = maxCallBytes;
        credits = maxCredits;
    }

    /**
     * Sets what holds from the next reply on: before the first one, and when the connection has agreed on more.
     *
     * @param listsOffset       octet of a header at which its chunk lists begin, which depends on the version
     * @param thresholdBytes    longest Send of a reply
     * @param longestReplyBytes longest reply without chunks, header included; more if replies may be continued
     * @param lastRoomBytes     octets that a continued reply needs behind its header in its last Send
     * @param remoteInvalidation whether a reply may invalidate a handle that its call has not nominated
     */
    public void setParameters(
            int listsOffset, int thresholdBytes, int longestReplyBytes, int lastRoomBytes, boolean remoteInvalidation) {
        this.listsOffset = listsOffset;
        this.thresholdBytes = thresholdBytes;
        this.longestReplyBytes = longestReplyBytes;
        this.lastRoomBytes = lastRoomBytes;
        this.remoteInvalidation = remoteInvalidation;
    }

    /**
     * Changes the grant of all headers from now on. Receives for {@code maxCredits} are posted all along, so a raise
     * needs nothing else first.
     *
     * @throws IllegalArgumentException if not 1 to {@code maxCredits}
     */
    public void setCredits(int credits) {
        this.credits = Ranges.require("credits", credits, 1, maxCredits); // V1-017
    }

    /** Credits to put into every header. */
    public int credits() {
        return credits; // V1-011, V1-015, V1-016
    }

    /** Whether a call with this XID was received and not answered. */
    public boolean isInProgress(int xid) {
        return inProgress.containsKey(xid);
    }

    /** Calls received and not answered. */
    public int callsInProgress() {
        return inProgress.size();
    }

    /** Whether more calls may be taken from the channel. */
    public boolean mayRead() {
        return inProgress.size() < maxCallsInProgress;
    }

    /**
     * Takes a message. A call that is not rejected is in progress.
     *
     * @param payloadBytes octets behind its header
     * @param nominated    handle that the requester wants its reply to invalidate; 0 if it has named none
     * @param answer       the call's, if it is delivered or pulled
     */
    public Reception received(RpcRdmaMessage message, int payloadBytes, int nominated, OwedAnswer answer) {
        if (message instanceof RpcRdmaMessage.ErrorMsg || inProgress.containsKey(message.xid())) {
            return DISCARD; // V1-001
        }
        ChunkLists chunks = message.chunks();
        if (chunks.readList().isEmpty()) {
            return new Reception.Deliver(deliver(new ResponderCall(message.xid(), chunks, nominated, answer)));
        }
        ResponderCall call = new ResponderCall(message.xid(), chunks, nominated, answer);
        ReadPlan plan = ReadPlan.of(chunks.readList(), payloadBytes, maxCallBytes);
        if (plan == null) {
            return new Reception.Reject(Rejection.errChunk( // V1-031
                    call.xid(),
                    message.version(),
                    "call too long",
                    ReadPlan.callBytes(chunks.readList(), payloadBytes),
                    maxCallBytes,
                    "maxCallBytes"));
        }
        if (plan.pullsNothing()) {
            return new Reception.Deliver(deliver(call)); // chunks without octets insert nothing
        }
        inProgress.put(call.xid(), call);
        call.setPulling(true);
        return new Reception.Pull(call, plan);
    }

    /**
     * Takes a call without chunks.
     *
     * @return the call, to be handed up; {@code null} if it is to be dropped, and nothing is to be answered
     */
    public @Nullable ResponderCall receivedInline(int xid, OwedAnswer answer) {
        return inProgress.containsKey(xid)
                ? null
                : deliver(new ResponderCall(xid, ChunkLists.ABSENT, 0, answer)); // V1-001
    }

    private ResponderCall deliver(ResponderCall call) {
        inProgress.put(call.xid(), call);
        return call;
    }

    /**
     * The read chunks of a call are in place.
     *
     * @return whether it is still wanted: the connection has not been lost meanwhile
     */
    public boolean pulled(ResponderCall call) {
        boolean wanted = inProgress.get(call.xid()) == call;
        if (wanted) {
            call.setPulling(false);
        }
        return wanted;
    }

    /**
     * Ends a call: its reply or an error is about to be sent.
     *
     * @return whether it was in progress, so that something is to be sent
     */
    public boolean ended(ResponderCall call) {
        return inProgress.remove(call.xid()) == call;
    }

    /** The call that a reply belongs to, {@code null} if there is none. */
    public @Nullable ResponderCall call(int xid) {
        ResponderCall call = inProgress.get(xid);
        return call != null && !call.isPulling() ? call : null;
    }

    /**
     * Plans how a call ends that is replied to; {@link #ended} follows.
     *
     * @param replyBytes length of the whole RPC reply
     * @param results    those that may be in write chunks, ascending
     * @throws IllegalArgumentException if the results are not in ascending order within the reply
     */
    public Disposal plan(ResponderCall call, int replyBytes, List<XdrItem> results) {
        int inlineBytes = call.chunks().replyChunk() == null ? longestReplyBytes : thresholdBytes;
        Disposal disposal = ReplyPlan.of(call.chunks(), replyBytes, results, listsOffset, inlineBytes);
        if (disposal instanceof Disposal.SendErrChunk && inlineBytes < longestReplyBytes) {
            disposal = ReplyPlan.of(call.chunks(), replyBytes, results, listsOffset, longestReplyBytes); // V2-131 (C13)
        }
        if (disposal == ReplyPlan.INLINE || !(disposal instanceof ReplyPlan plan)) {
            return disposal;
        }
        int headerBytes = listsOffset + plan.returned().encodedBytes();
        int roomBytes = plan.isLong() ? thresholdBytes : thresholdBytes - lastRoomBytes;
        return longestReplyBytes > thresholdBytes && headerBytes > roomBytes // it cannot even be continued
                ? new Disposal.SendErrChunk(
                        headerBytes, thresholdBytes, "inline threshold", new ReplyShortage(0, replyBytes))
                : plan;
    }

    /** Returns the handle of the requester that the reply to a call invalidates, 0 for none. */
    public int handleToInvalidate(ResponderCall call) {
        int nominated = call.nominatedHandle();
        return nominated == 0 && remoteInvalidation ? call.onlyHandle() : nominated; // PD-014, PD-015, PD-020
    }

    /**
     * Forgets all calls: their replies cannot be sent any more.
     *
     * @return the calls that were in progress
     */
    public List<ResponderCall> endAll() {
        List<ResponderCall> lost = List.copyOf(inProgress.values());
        inProgress.clear();
        return lost;
    }
}
