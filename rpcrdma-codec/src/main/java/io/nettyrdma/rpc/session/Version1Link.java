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
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.ReplyShortage;
import io.nettyrdma.rpc.engine.WindowCredits;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.InlineHeader;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Version 1 (RFC 8166): each message is one Send, which goes out when it is written.
 *
 * <p>Headers of version 1 do not tell their direction. So a message is one of the forward direction if it can be; only
 * what makes no sense there is looked at again, and no message makes sense in both: if there is an inline payload
 * stream, its msg_type tells, and without one only calls have a read list.
 */
public final class Version1Link extends MessageLink {

    private final RpcRdmaRole role;
    private final SessionSettings settings;
    private final ParameterAgreement agreement;
    private final RpcRdmaDecoder decoder;
    private final InlineHeader inline = new InlineHeader();
    private final @Nullable ChannelHandlerContext bottom;
    private @Nullable Version1Link reversed;

    /** Creates the link of the forward direction. */
    public Version1Link(
            RpcRdmaRole role, SessionSettings settings, ParameterAgreement agreement, RpcRdmaObserver observer) {
        this(role, settings, agreement, observer, null);
    }

    /** @param bottom where messages of the reverse direction are written; {@code null} for a link of the forward one */
    private Version1Link(
            RpcRdmaRole role,
            SessionSettings settings,
            ParameterAgreement agreement,
            RpcRdmaObserver observer,
            @Nullable ChannelHandlerContext bottom) {
        super(observer, bottom != null);
        this.bottom = bottom;
        this.role = role;
        this.settings = settings;
        this.agreement = agreement;
        decoder = new RpcRdmaDecoder(settings.decodeLimits());
    }

    @Override
    public CallCredits callCredits(int requested) {
        return new WindowCredits(requested);
    }

    @Override
    public void onActive(ChannelHandlerContext ctx) {
        agreement.onVersion1(ctx);
    }

    @Override
    public Version1Link reversed(ChannelHandlerContext bottom) {
        RpcRdmaRole other = role.opposite();
        Version1Link link = new Version1Link(other, settings, agreement, settings.observer(other), bottom);
        link.shareDeliveries(this);
        reversed = link;
        return link;
    }

    @Override
    public int version() {
        return RpcRdmaEncoder.VERSION;
    }

    @Override
    public int listsOffset() {
        return RpcRdmaEncoder.LISTS_OFFSET;
    }

    /**
     * In the reverse direction the smaller of the two forward ones counts for both, as it does for Linux, whose
     * callback service has a single limit: never more than RFC 8167, section 4.2, allows.
     */
    @Override
    public InlineThresholds thresholds() {
        InlineThresholds forward = agreement.thresholds();
        if (!isReverse()) {
            return forward;
        }
        int bytes = Math.min(forward.callBytes(), forward.replyBytes());
        return new InlineThresholds(bytes, bytes);
    }

    @Override
    public boolean isAgreed() {
        return agreement.isAgreed();
    }

    @Override
    public void receiveCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        if (observer().listens() || !inline.read(message, Direction.CALL)) {
            receiveOtherCall(ctx, message, receiver);
            return;
        }
        ByteBuf payload = InlineHeader.payload(message);
        message.release();
        receiver.onInlineCall(ctx, inline.xid(), payload);
    }

    /** Anything but a plain call. */
    private void receiveOtherCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        final Decoded decoded;
        @Nullable ByteBuf payload = null;
        @Nullable RpcRdmaMessage reply = null;
        @Nullable ReplyReceiver replies = reversed == null ? null : reversed.replies();
        try {
            decoded = decoder.decode(message, Direction.CALL);
            if (decoded instanceof RpcRdmaMessage header) {
                payload = payload(header, message);
            } else if (replies != null) {
                reply = replyIn(message); // BIS-015
                payload = reply == null ? null : payload(reply, message);
            }
        } finally {
            message.release();
        }
        if (reply != null && payload != null && replies != null) {
            replies.onReadStarted();
            deliverReply(ctx, reply, payload, Objects.requireNonNull(reversed).observer(), replies);
        } else if (payload != null) {
            deliverCall(ctx, (RpcRdmaMessage) decoded, payload, observer(), receiver);
        } else {
            receiver.onRejected(ctx, (Rejection) decoded);
        }
    }

    private static void deliverCall(
            ChannelHandlerContext ctx,
            RpcRdmaMessage header,
            ByteBuf payload,
            RpcRdmaObserver observer,
            CallReceiver receiver) {
        observer.onReceived(ctx, header, RpcRdmaEncoder.encodedBytes(header), payload.readableBytes());
        receiver.onMessage(ctx, header, payload, 0);
    }

    private static void deliverReply(
            ChannelHandlerContext ctx,
            RpcRdmaMessage header,
            ByteBuf payload,
            RpcRdmaObserver observer,
            ReplyReceiver receiver) {
        observer.onReceived(ctx, header, RpcRdmaEncoder.encodedBytes(header), payload.readableBytes());
        if (header instanceof RpcRdmaMessage.Msg) {
            receiver.onMessage(header, payload);
        } else {
            payload.release();
            receiver.onMessage(header, null);
        }
    }

    @Override
    public void receiveReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver) {
        if (observer().listens() || !inline.read(message, Direction.REPLY)) {
            receiveOtherReply(ctx, message, receiver);
            return;
        }
        ByteBuf payload = InlineHeader.payload(message);
        message.release();
        receiver.onInlineReply(inline.xid(), inline.credits(), payload);
    }

    /** Anything but a plain reply. */
    private void receiveOtherReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver) {
        final Decoded decoded;
        @Nullable ByteBuf payload = null;
        @Nullable RpcRdmaMessage call = null;
        @Nullable CallReceiver calls = reversed == null ? null : reversed.calls();
        try {
            decoded = decoder.decode(message, Direction.REPLY);
            if (decoded instanceof RpcRdmaMessage header) {
                payload = payload(header, message);
            } else if (calls != null) {
                call = callIn(message); // BIS-015
                payload = call == null ? null : payload(call, message);
            }
        } finally {
            message.release();
        }
        if (call != null && payload != null && calls != null) {
            MessageLink link = Objects.requireNonNull(reversed);
            deliverCall(link.callContext(), call, payload, link.observer(), calls);
        } else if (payload != null) {
            deliverReply(ctx, (RpcRdmaMessage) decoded, payload, observer(), receiver);
        } else {
            // Whatever is wrong with it: no answer, no effect on any call. V1-085, V1-107, BIS-016
            observer().onRejected(ctx, (Rejection) decoded);
        }
    }

    /** The header of a message that is a reverse call and no forward reply, {@code null} if it is neither. */
    private @Nullable RpcRdmaMessage callIn(ByteBuf message) {
        return decoder.decode(message, Direction.CALL) instanceof RpcRdmaMessage header ? header : null;
    }

    /**
     * The header of a message that is a reverse reply or error and no forward call, {@code null} if it is neither.
     * Calls of the reverse direction offer no reply chunk, so an {@code RDMA_NOMSG} is not one of their replies but a
     * defective call.
     */
    private @Nullable RpcRdmaMessage replyIn(ByteBuf message) {
        return decoder.decode(message, Direction.REPLY) instanceof RpcRdmaMessage header
                        && !(header instanceof RpcRdmaMessage.NoMsg) // V1-114
                ? header
                : null;
    }

    /** What follows the header, with a reference of its own. Programs may count on its index 0. */
    private static ByteBuf payload(RpcRdmaMessage header, ByteBuf message) {
        int headerBytes = header instanceof RpcRdmaMessage.Msg msg
                ? RpcRdmaEncoder.headerBytes(msg.chunks())
                : message.readableBytes();
        return message.retainedSlice(message.readerIndex() + headerBytes, message.readableBytes() - headerBytes);
    }

    @Override
    public Object frame(
            ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, ByteBuf payload, int invalidateHandle) {
        int headerBytes = RpcRdmaEncoder.headerBytes(chunks);
        int payloadBytes = payload.readableBytes();
        ByteBuf header = InlineFrame.header(ctx, headerBytes, payload);
        RpcRdmaEncoder.encodeMsg(xid, credits, chunks, header);
        if (observer().listens()) {
            observer().onSent(ctx, new RpcRdmaMessage.Msg(xid, version(), credits, chunks), headerBytes, payloadBytes);
        }
        return send(InlineFrame.join(ctx, header, payload), invalidateHandle);
    }

    @Override
    public Object frameLong(ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, int invalidateHandle) {
        return send(frame(ctx, new RpcRdmaMessage.NoMsg(xid, version(), credits, chunks)), invalidateHandle); // V1-062
    }

    @Override
    public Object frameError(ChannelHandlerContext ctx, int xid, int credits, @Nullable ReplyShortage shortage) {
        return frameErrChunk(ctx, xid, credits);
    }

    private ByteBuf frameErrChunk(ChannelHandlerContext ctx, int xid, int credits) {
        return frame(ctx, new RpcRdmaMessage.ErrorMsg(xid, version(), credits, null));
    }

    @Override
    public @Nullable Object frameAnswer(ChannelHandlerContext ctx, Rejection rejection, int credits) {
        return switch (rejection.reaction()) {
            case DISCARD -> null;
            case ERR_CHUNK -> frameErrChunk(ctx, rejection.xid(), credits);
            case ERR_VERS ->
                frame(
                        ctx,
                        new RpcRdmaMessage.ErrorMsg(
                                rejection.xid(), rejection.version(), credits, RpcRdmaDecoder.SUPPORTED));
            case RDMA2_ERROR -> throw new IllegalArgumentException("not of version 1: " + rejection);
        };
    }

    /** A message that is all header: an RDMA_NOMSG or an error. */
    private ByteBuf frame(ChannelHandlerContext ctx, RpcRdmaMessage header) {
        int headerBytes = RpcRdmaEncoder.encodedBytes(header);
        ByteBuf out = ctx.alloc().directBuffer(headerBytes);
        RpcRdmaEncoder.encode(header, out);
        observer().onSent(ctx, header, headerBytes, 0);
        return out;
    }

    private static Object send(ByteBuf message, int invalidateHandle) {
        return invalidateHandle == 0 ? message : RdmaSend.invalidating(message, invalidateHandle); // PD-014
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object framed, ChannelPromise promise) {
        if (bottom == null) {
            ctx.write(framed, promise);
        } else {
            bottom.write(framed, counting(ctx, promise));
        }
    }
}
