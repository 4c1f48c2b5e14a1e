// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.engine.CallPlan;
import io.nettyrdma.rpc.engine.CallPlanner;
import io.nettyrdma.rpc.engine.CallPlanner.Placement;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import java.util.BitSet;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a call is to be conveyed, and what is needed to understand its reply.
 *
 * @param header  of the call, {@code null} if it cannot be understood
 * @param binding of its program
 * @param target  memory for the first reducible result, if the application has named some and it is used
 */
record PlannedCall(
        CallPlan plan, @Nullable RpcCallHeader header, UpperLayerBinding binding, @Nullable ResultTarget target) {

    /** All calls without chunks are alike: in a reply to them nothing has to be found. */
    private static final PlannedCall INLINE = new PlannedCall(CallPlan.NO_CHUNKS, null, UpperLayerBinding.NONE, null);

    /**
     * Asks the call, its binding and the configuration, in this order.
     *
     * @param header of the call, {@code null} if it cannot be understood
     */
    static PlannedCall of(RpcRdmaCall call, @Nullable RpcCallHeader header, CallPlanner planner, RequesterLimits limits)
            throws RpcRdmaException {
        return of(call, call.content(), header, planner, limits, bounds -> bounds);
    }

    /**
     * As {@link #of}, for a call that is made again.
     *
     * @param message of the call
     * @param known   what is known better of its reply by now
     */
    static PlannedCall of(
            RpcRdmaCall call,
            ByteBuf message,
            @Nullable RpcCallHeader header,
            CallPlanner planner,
            RequesterLimits limits,
            UnaryOperator<ReplyBounds> known)
            throws RpcRdmaException {
        int xid = RpcHeaders.xid(message);
        int callBytes = message.readableBytes();
        if (header == null) {
            ResultTarget.requireEffect(xid, call, null, ReplyBounds.UNKNOWN, limits);
            ReplyBounds bounds = known.apply(bounds(call, ReplyBounds.UNKNOWN, limits));
            CallPlan plan = planner.plan(xid, callBytes, List.of(), bounds, Placement.ANYWHERE);
            return plan.hasNoChunks() ? INLINE : new PlannedCall(plan, null, UpperLayerBinding.NONE, null);
        }
        UpperLayerBinding binding = limits.bindings().of(header); // V1-028, V1-144, V1-146
        ReplyBounds ofBinding = binding.replyBounds(header, message);
        ResultTarget.requireEffect(xid, call, header, ofBinding, limits);
        ReplyBounds bounds = known.apply(bounds(call, ofBinding, limits)); // V1-130
        ResultTarget target = ResultTarget.of(call);
        CallPlan plan = planner.plan(
                xid,
                callBytes,
                reducibleArguments(call, message, header, binding),
                bounds,
                target == null ? Placement.ANYWHERE : Placement.WRITE_CHUNK);
        if (plan.hasNoChunks()) {
            return INLINE;
        }
        if (target == null || plan.writeChunkBytes().isEmpty()) {
            return new PlannedCall(plan, header, binding, null);
        }
        int capacity = plan.writeChunkBytes().get(0); // of a later result, if that is longer and may move up
        if (target.roomBytes() < capacity) {
            throw new MessageTooLargeException(
                    xid,
                    "the target of RpcRdmaCall.replyInto has " + target.roomBytes()
                            + " bytes from its index on, the longest result takes " + capacity
                            + "; give a longer target, or bound the result by the call or its binding");
        }
        return new PlannedCall(plan, header, binding, target);
    }

    /**
     * Checks what is known before the version of the protocol is: whether the call can use its target.
     *
     * @throws IllegalArgumentException if not
     */
    static void requireTargetEffect(RpcRdmaCall call, @Nullable RpcCallHeader header, RequesterLimits limits) {
        if (call.replyTarget() != null) {
            ReplyBounds bounds = header == null
                    ? ReplyBounds.UNKNOWN
                    : limits.bindings().of(header).replyBounds(header, call.content());
            ResultTarget.requireEffect(RpcHeaders.xid(call.content()), call, header, bounds, limits);
        }
    }

    /** The results of its reply that may be, or were, in write chunks. */
    List<XdrItem> reducibleResults(ByteBuf reply, BitSet reduced) {
        return header == null ? List.of() : binding.reducibleResults(header, reply, reduced);
    }

    private static List<XdrItem> reducibleArguments(
            RpcRdmaCall call, ByteBuf message, RpcCallHeader header, UpperLayerBinding binding) {
        List<XdrItem> named = call.reducibleArguments();
        if (named == null) {
            return binding.reducibleArguments(header, message);
        }
        return header.protection() == RpcCallHeader.Protection.CLEAR ? named : List.of(); // V1-146
    }

    private static ReplyBounds bounds(RpcRdmaCall call, ReplyBounds known, RequesterLimits limits) {
        List<Integer> reducible = known.reducibleBytes();
        if (call.maxReplyBytes() > 0) {
            return new ReplyBounds(call.maxReplyBytes(), reducible);
        } else if (known.maxBytes() != ReplyBounds.UNKNOWN_BYTES) {
            return known;
        }
        long bytes = 0; // besides those, it fits inline
        for (int result : reducible) {
            bytes += XdrLengths.padded((long) result);
        }
        return new ReplyBounds((int) Math.min(bytes, Integer.MAX_VALUE), reducible);
    }
}
