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
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.engine.ResponderEngine.Reception;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.observe.RpcRdmaCallReport.Outcome;
import io.nettyrdma.rpc.session.ReverseMessage;
import io.nettyrdma.rpc.session.RpcRdmaConnection;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.Rejection.Reaction;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.v1.InlineHeader;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Takes what a responder receives: checks it, has its read chunks pulled, hands calls up when they are whole, and
 * answers what is no call with the error it deserves (RFC 8166, section 4.5).
 *
 * <p>Threading: confined to the executor of the handler. Ownership: calls handed up belong to the next handler.
 */
public final class CallReceiver implements ChunkReader.Receiver, PushBudget.Receiver {

    private final RpcRdmaDecoder decoder;
    private final RpcRdmaConnection connection;
    private final ResponderEngine engine;
    private final ReductionRules rules;
    private final ChunkReader reader;
    private final ReplyWriter writer;
    private final ReadGate gate;
    private final PushBudget budget;
    /** Whether Reads or errors were written since the last flush. */
    private boolean flushWanted;
    /** Whether a reverse requester is above. */
    private boolean reverse;

    private boolean callReceived;

    public CallReceiver(
            RpcRdmaDecoder decoder,
            RpcRdmaConnection connection,
            ResponderEngine engine,
            ReductionRules rules,
            ChunkReader reader,
            ReplyWriter writer,
            ReadGate gate,
            PushBudget budget) {
        this.decoder = decoder;
        this.connection = connection;
        this.engine = engine;
        this.rules = rules;
        this.reader = reader;
        this.writer = writer;
        this.gate = gate;
        this.budget = budget;
    }

    /** Whether replies of the peer are to be handed up. */
    public void handUpReverseReplies(boolean reverse) {
        this.reverse = reverse;
    }

    /** Whether the peer has called. */
    public boolean hasReceivedCall() {
        return callReceived;
    }

    /**
     * The call in a message, if it can be executed now; otherwise its chunks are pulled, or it has been answered. Or the
     * {@link ReverseMessage} that it is.
     */
    @Nullable
    public Object receive(ChannelHandlerContext ctx, ByteBuf message) {
        if (!InlineHeader.isIn(message, Direction.CALL) || connection.observer().listens()) {
            return receiveOther(ctx, message);
        }
        callReceived = true;
        ResponderCall call = engine.receivedInline(InlineHeader.xid(message));
        if (call == null) {
            return null;
        }
        observe(ctx, call);
        return InlineHeader.payload(message);
    }

    /** Anything but a plain call. */
    private @Nullable Object receiveOther(ChannelHandlerContext ctx, ByteBuf message) {
        Decoded decoded = decoder.decode(message, Direction.CALL);
        if (reverse && decoded instanceof Rejection) {
            @Nullable ReverseMessage reply = ReverseMessage.replyIn(message, decoder); // BIS-015
            if (reply != null) {
                connection
                        .observer()
                        .receivedReverse(ctx, reply.header(), reply.content().readableBytes());
                return reply;
            }
        }
        int headerBytes = decoded instanceof RpcRdmaMessage.Msg msg
                ? RpcRdmaEncoder.headerBytes(msg.chunks())
                : message.readableBytes();
        int payloadBytes = message.readableBytes() - headerBytes;
        if (decoded instanceof RpcRdmaMessage valid) {
            callReceived = true;
            connection.observer().received(ctx, valid, payloadBytes);
        }
        Reception reception = engine.received(decoded, payloadBytes);
        if (reception instanceof Reception.Reject reject) {
            reject(ctx, reject.rejection());
        } else if (reception instanceof Reception.Deliver deliver) {
            observe(ctx, deliver.call());
            ByteBuf payload = message.retainedSlice(message.readerIndex() + headerBytes, payloadBytes);
            if (!deliver.call().chunks().writeList().isEmpty()) {
                deliver.call().setHeader(RpcCallHeader.parse(payload));
            }
            return budget.admit(deliver.call(), payload, this) ? payload : null;
        } else if (reception instanceof Reception.Pull pull) {
            observe(ctx, pull.call());
            ByteBuf payload = message.retainedSlice(message.readerIndex() + headerBytes, payloadBytes);
            if (rules.mayPull(pull.plan(), payload)) {
                flushWanted = true;
                reader.pull(ctx, pull.call(), pull.plan(), payload, this);
            } else {
                payload.release();
                refuse(ctx, pull.call(), "arguments that must not be in read chunks"); // V1-132, V1-133
            }
        }
        return null;
    }

    private void observe(ChannelHandlerContext ctx, ResponderCall call) {
        call.attach(connection.observer().callStarted(ctx, call.xid()));
    }

    private void refuse(ChannelHandlerContext ctx, ResponderCall call, String why) {
        if (engine.refused(call)) {
            CallTrace.endedWithoutReply(call, Outcome.ERR_CHUNK);
            reject(ctx, Rejection.errChunk(call.xid(), 1, why));
            gate.resume(ctx);
        }
    }

    private void reject(ChannelHandlerContext ctx, Rejection rejection) {
        connection.observer().rejected(ctx, rejection);
        if (rejection.reaction() != Reaction.DISCARD) {
            VersionRange supported = rejection.reaction() == Reaction.ERR_VERS ? RpcRdmaDecoder.SUPPORTED : null;
            writer.writeError(ctx, rejection.xid(), rejection.version(), supported, ctx.newPromise());
            flushWanted = true;
        }
    }

    @Override
    public void pulled(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf message) {
        if (!engine.pulled(call)) {
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
    public void admitted(ChannelHandlerContext ctx, ByteBuf message) {
        ctx.fireChannelRead(message);
    }

    @Override
    public void admissionEnded(ChannelHandlerContext ctx) {
        gate.resume(ctx);
        ctx.fireChannelReadComplete();
    }

    @Override
    public void noMemory(ChannelHandlerContext ctx, ResponderCall call) {
        long bytes = 0;
        for (ReadSegment entry : call.chunks().readList()) {
            bytes += entry.segment().lengthBytes();
        }
        String what = "xid 0x" + Integer.toHexString(call.xid()) + ": no memory for " + bytes
                + " octets of read chunks; calls take up to RpcRdmaConfig.maxCallBytes each, and all that is pulled comes"
                + " out of -XX:MaxDirectMemorySize";
        connection.observer().limited(ctx, () -> what);
        refuse(ctx, call, "no memory for its read chunks");
    }

    /** What the decoder checks of an inline call. */
    private static boolean isCall(ByteBuf message, int xid) {
        return RpcMessage.isOfType(message, RpcMessage.CALL) && RpcMessage.xid(message) == xid;
    }

    public void flushIfWanted(ChannelHandlerContext ctx) {
        if (flushWanted) {
            flushWanted = false;
            ctx.flush();
        }
    }

    /** Somebody else has flushed. */
    public void flushed() {
        flushWanted = false;
    }
}
