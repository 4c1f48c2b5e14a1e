// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.engine.CallPlan;
import io.nettyrdma.rpc.engine.CallPlanner;
import io.nettyrdma.rpc.engine.RemoteRefusal;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.wire.InlineThresholds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which calls are made again after an error that says what would have been accepted, and how (draft -01, section 7.3;
 * C59).
 *
 * <p>Threading: confined to the executor of the handler.
 */
final class CallRepeats {

    private final MessageLink link;
    private final RequesterLimits limits;
    private final boolean hasMemory;
    /** Whether the responder does not know the header of long calls. */
    private boolean longRefused;

    /** @param hasMemory whether there is memory for chunks, without which nothing can be changed about a call */
    CallRepeats(MessageLink link, RequesterLimits limits, boolean hasMemory) {
        this.link = link;
        this.limits = limits;
        this.hasMemory = hasMemory;
    }

    /** The header of long calls is not sent any more on this connection. V2-140 */
    void onLongRefused() {
        longRefused = true;
    }

    boolean isLongRefused() {
        return longRefused;
    }

    /** Whether a call may be executed twice, as far as that can matter. */
    boolean isRepeatable(RpcRdmaCall call, @Nullable RpcCallHeader header) {
        if (!hasMemory || !link.terms().detailedErrors()) {
            return false;
        }
        return call.isRepeatable()
                || header != null && limits.bindings().of(header).isRepeatable(header, call.content());
    }

    /** Whether the message of a call that is about to be sent is worth keeping. */
    boolean mayRepeat(PendingCall call) {
        boolean changeable = call.isRepeatable() || !call.planned().plan().hasNoChunks();
        return changeable && hasMemory && link.terms().detailedErrors();
    }

    /**
     * Plans a call anew that was refused.
     *
     * @return the plan, {@code null} if the call ends with the refusal
     */
    @Nullable
    PlannedCall replan(PendingCall call, CallRecovery recovery, RemoteRefusal refusal) {
        ByteBuf message = call.keptMessage();
        if (message == null
                || !link.terms().mayHaveChunks()
                || !link.terms().segments().allowChunks()) {
            return null;
        }
        CallPlan plan = call.planned().plan();
        long used = used(call, plan, refusal);
        CallRecovery.Decision decision =
                recovery.decide(refusal.error(), refusal.number(), refusal.writeChunk(), used, call.isRepeatable());
        if (decision != CallRecovery.Decision.REPEAT) {
            return null;
        }
        CallRecovery.Limits known = recovery.limits();
        try {
            PlannedCall again = plan(call, message, RpcCallHeader.parse(message), known);
            long segments = link.terms().segments().count(again.plan(), message.readableBytes());
            return segments > known.segments() ? null : again;
        } catch (RpcRdmaException e) {
            return null; // the refusal says more
        }
    }

    /** Plans a call that was refused before, within what the refusals have said. */
    PlannedCall plan(PendingCall call, ByteBuf message, @Nullable RpcCallHeader header, CallRecovery.Limits known)
            throws RpcRdmaException {
        return PlannedCall.of(call.call(), message, header, planner(known), limits, bounds -> widened(bounds, known));
    }

    /** Those of a call that was not refused yet. */
    CallRecovery recovery() {
        CallPlanner.Limits chunks = limits.chunks();
        return new CallRecovery(
                CallRecovery.Limits.first(
                        Math.max(1, chunks.readChunks()),
                        chunks.writeChunks(),
                        link.terms().segments().maxPerHeader()),
                chunks.chunkBytes());
    }

    private static long used(PendingCall call, CallPlan plan, RemoteRefusal refusal) {
        return switch (refusal.error()) {
            case READ_CHUNKS ->
                plan.form() == CallPlan.Form.LONG ? 1 : plan.readChunks().size();
            case WRITE_CHUNKS -> plan.writeChunkBytes().size();
            case SEGMENTS -> call.offered().segments().size();
            case WRITE_RESOURCE -> capacity(plan.writeChunkBytes(), refusal.writeChunk());
            case REPLY_RESOURCE -> plan.replyChunkBytes();
            default -> 0;
        };
    }

    /** Of one write chunk, or the longest if it is not known which; nothing helps one that is not there. */
    private static long capacity(List<Integer> chunks, long index) {
        if (index > chunks.size() || chunks.isEmpty()) {
            return Long.MAX_VALUE;
        }
        return index == 0 ? chunks.stream().mapToInt(it -> it).max().getAsInt() : chunks.get((int) index - 1);
    }

    /**
     * Where the peer takes fewer chunks or segments than the call had, as much as possible goes without. A whole call
     * in a chunk needs a read chunk. Where a reply needs room, it is offered, however the peer could do without.
     */
    private CallPlanner planner(CallRecovery.Limits known) {
        CallPlanner.Limits chunks = limits.chunks();
        boolean fewerSegments = known.segments() < link.terms().segments().maxPerHeader();
        InlineThresholds usual = link.terms().usualWithoutChunks();
        InlineThresholds longest = link.terms().mostWithoutChunks();
        boolean fewerChunks = known.readChunks() < Math.max(1, chunks.readChunks()) || fewerSegments;
        boolean allowsLong = !longRefused && known.readChunks() > 0; // V2-140, V2-147
        int callBytes = fewerChunks || !allowsLong ? longest.callBytes() : usual.callBytes();
        int replyBytes = usual.replyBytes();
        if (known.replyBytes() > 0) {
            replyBytes = link.terms().thresholds().replyBytes();
        } else if (fewerSegments) {
            replyBytes = longest.replyBytes();
        }
        CallPlanner.Limits fewer = new CallPlanner.Limits(
                Math.min(chunks.readChunks(), known.readChunks()),
                Math.min(chunks.writeChunks(), known.writeChunks()),
                chunks.chunkBytes());
        return new CallPlanner(
                link.terms().listsOffset(), new InlineThresholds(callBytes, replyBytes), fewer, allowsLong);
    }

    private static ReplyBounds widened(ReplyBounds bounds, CallRecovery.Limits known) {
        List<Integer> results = new ArrayList<>(bounds.reducibleBytes());
        long bytes = Math.max(bounds.maxBytes(), known.replyBytes());
        int first = known.writeChunk() == 0 ? 0 : known.writeChunk() - 1;
        if (known.writeChunkBytes() > 0 && first < results.size()) {
            long more = known.writeChunkBytes() - results.get(first);
            if (more > 0) {
                results.set(first, known.writeChunkBytes());
                bytes += XdrLengths.padded(more);
            }
        }
        return new ReplyBounds((int) Math.min(bytes, Integer.MAX_VALUE), results);
    }
}
