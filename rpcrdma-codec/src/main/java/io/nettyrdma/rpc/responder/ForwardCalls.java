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
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.engine.ResponderEngine.Reception;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport.Outcome;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection that are executed, in the forward direction: has their read chunks pulled, hands them up
 * when they are whole, and answers what is no call with the error it deserves (RFC 8166, section 4.5).
 *
 * <p>Threading: confined to the executor of the handler. Ownership: calls handed up belong to the next handler.
 */
public final class ForwardCalls extends ReceivedCalls implements CallReceiver, PulledCalls, AdmittedCalls {

    private final ReductionRules rules;
    private final ChunkReader reader;
    private final ChunkWriter chunkWriter;
    private final PushBudget budget;
    private final ReadGate gate;
    private final ReplyWriter writer;
    private boolean callReceived;

    /**
     * @param credits  receives posted for calls, at least 1
     * @param maxCalls calls in progress at which no more are read, at least {@code credits}
     * @param alloc    provides the memory that RDMA Reads go to, best registered
     */
    public ForwardCalls(MessageLink link, ResponderLimits limits, int credits, int maxCalls, ByteBufAllocator alloc) {
        super(link, new ResponderEngine(credits, maxCalls, limits.maxCallBytes()));
        rules = new ReductionRules(limits.bindings());
        reader = new ChunkReader(limits, alloc);
        budget = new PushBudget(limits.maxPushingBytes());
        gate = new ReadGate(engine(), reader);
        chunkWriter = new ChunkWriter(link, limits.maxPushingWrites(), gate);
        writer = new ReplyWriter(link, engine(), rules, chunkWriter, budget);
    }

    @Override
    ReplyWriter writer() {
        return writer;
    }

    /** Sets what the two sides have agreed on. */
    public void setParameters(RpcRdmaParametersEvent parameters) {
        setParameters(parameters.remoteInvalidation());
    }

    /** Changes the grant that all further replies carry, as {@link ResponderEngine#setCredits} does. */
    public void setCredits(ChannelHandlerContext ctx, int credits) {
        engine().setCredits(credits);
        link().onGrantChanged(ctx, credits);
    }

    /** Whether the peer has called. */
    public boolean hasReceivedCall() {
        return callReceived;
    }

    @Override
    public void onInlineCall(ChannelHandlerContext ctx, int xid, ByteBuf payload) {
        callReceived = true;
        @Nullable ResponderCall call = engine().receivedInline(xid);
        if (call == null) {
            payload.release();
            link().onCallDropped();
            return;
        }
        observe(ctx, call);
        ctx.fireChannelRead(payload); // V1-105
    }

    @Override
    public void onMessage(ChannelHandlerContext ctx, RpcRdmaMessage header, ByteBuf payload) {
        callReceived = true;
        Reception reception = engine().received(header, payload.readableBytes());
        if (reception instanceof Reception.Deliver deliver) {
            observe(ctx, deliver.call());
            if (!deliver.call().chunks().writeList().isEmpty()) {
                deliver.call().setHeader(RpcCallHeader.parse(payload));
            }
            if (budget.admit(deliver.call(), payload, this)) {
                ctx.fireChannelRead(payload); // V1-105
            }
        } else if (reception instanceof Reception.Pull pull) {
            observe(ctx, pull.call());
            if (rules.mayPull(pull.plan(), payload)) {
                wantFlush();
                reader.pull(ctx, pull.call(), pull.plan(), payload, this);
            } else {
                payload.release();
                refuse(ctx, pull.call(), "arguments that must not be in read chunks"); // V1-132, V1-133
            }
        } else {
            payload.release();
            answer(ctx, reception);
        }
    }

    @Override
    public void onRejected(ChannelHandlerContext ctx, Rejection rejection) {
        answer(ctx, engine().received(rejection, 0));
    }

    private void answer(ChannelHandlerContext ctx, Reception reception) {
        if (reception instanceof Reception.Reject reject) {
            reject(ctx, reject.rejection());
        } else {
            link().onCallDropped();
        }
    }

    private void refuse(ChannelHandlerContext ctx, ResponderCall call, String why) {
        if (engine().refused(call)) {
            CallTrace.onEndedWithoutReply(call, Outcome.ERR_CHUNK);
            reject(ctx, Rejection.errChunk(call.xid(), link().version(), why));
            gate.resume(ctx);
        }
    }

    private void reject(ChannelHandlerContext ctx, Rejection rejection) {
        link().observer().onRejected(ctx, rejection);
        if (writer.writeAnswer(ctx, rejection)) {
            wantFlush();
        }
    }

    @Override
    public void onPulled(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf message) {
        if (!engine().pulled(call)) {
            message.release();
            return;
        }
        if (!isCall(message, call.xid())) { // V1-115
            message.release();
            refuse(ctx, call, "payload stream of a long call");
        } else {
            call.setHeader(RpcCallHeader.parse(message));
            if (rules.allow(plan, message, call.header())) {
                boolean admitted = budget.admit(call, message, this);
                gate.resume(ctx);
                if (admitted) {
                    ctx.fireChannelRead(message);
                    ctx.fireChannelReadComplete();
                }
            } else {
                message.release();
                refuse(ctx, call, "read chunk that is no reducible argument"); // V1-132, V1-133
            }
        }
        flushIfWanted(ctx);
    }

    @Override
    public void onAdmitted(ChannelHandlerContext ctx, ByteBuf message) {
        ctx.fireChannelRead(message);
    }

    @Override
    public void onAdmissionEnded(ChannelHandlerContext ctx) {
        gate.resume(ctx);
        ctx.fireChannelReadComplete();
    }

    @Override
    public void onNoMemory(ChannelHandlerContext ctx, ResponderCall call) {
        long bytes = 0;
        for (ReadSegment entry : call.chunks().readList()) {
            bytes += entry.segment().lengthBytes();
        }
        String what = "xid 0x" + Integer.toHexString(call.xid()) + ": no memory for " + bytes
                + " octets of read chunks; calls take up to RpcRdmaConfig.maxCallBytes each, and all that is pulled"
                + " comes out of -XX:MaxDirectMemorySize";
        link().observer().onLimited(ctx, () -> what);
        refuse(ctx, call, "no memory for its read chunks");
    }

    /** What the decoder checks of an inline call. */
    private static boolean isCall(ByteBuf message, int xid) {
        return RpcMessage.isOfType(message, RpcMessage.CALL) && RpcMessage.xid(message) == xid;
    }

    @Override
    void onCallEnded(ChannelHandlerContext ctx) {
        gate.resume(ctx);
    }

    /** Reads now, or when it may be. */
    public void read(ChannelHandlerContext ctx) {
        gate.read(ctx);
    }

    /** The channel's writability has changed. */
    public void onWritabilityChanged(ChannelHandlerContext ctx) {
        gate.resume(ctx);
    }

    @Override
    public void onConnectionLost() {
        super.onConnectionLost();
        reader.onConnectionLost();
        chunkWriter.onConnectionLost();
        budget.onConnectionLost();
    }
}
