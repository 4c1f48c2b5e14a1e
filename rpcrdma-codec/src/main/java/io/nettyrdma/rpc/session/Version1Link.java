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
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.InlineHeader;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import org.jspecify.annotations.Nullable;

/**
 * Version 1 (RFC 8166): each message is one Send, which goes out when it is written.
 *
 * <p>Headers of version 1 do not tell their direction. So a message is one of the forward direction if it can be; only
 * what makes no sense there is looked at again, and no message makes sense in both: if there is an inline payload
 * stream, its msg_type tells, and without one only calls have a read list.
 */
final class Version1Link extends MessageLink {

    private final RpcRdmaRole role;
    private final SessionSettings settings;
    private final ParameterAgreement agreement;
    private final RpcRdmaDecoder decoder;
    private final InlineHeader inline = new InlineHeader();
    private boolean passReverse;
    private int unsent;

    Version1Link(
            RpcRdmaRole role,
            SessionSettings settings,
            ParameterAgreement agreement,
            RpcRdmaObserver observer,
            boolean reverse) {
        super(observer, reverse);
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
    public MessageLink reversed() {
        RpcRdmaRole other = role.opposite();
        return new Version1Link(other, settings, agreement, settings.observer(other), true);
    }

    @Override
    public void passReverse(boolean pass) {
        passReverse = pass;
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
        @Nullable ReverseMessage reply = null;
        try {
            decoded = decoder.decode(message, Direction.CALL);
            if (decoded instanceof RpcRdmaMessage header) {
                payload = payload(header, message);
            } else if (passReverse) {
                reply = replyIn(message); // BIS-015
            }
        } finally {
            message.release();
        }
        if (payload != null) {
            RpcRdmaMessage header = (RpcRdmaMessage) decoded;
            observer().onReceived(ctx, header, RpcRdmaEncoder.encodedBytes(header), payload.readableBytes());
            receiver.onMessage(ctx, header, payload);
        } else if (reply != null) {
            handUp(ctx, reply);
        } else {
            receiver.onRejected(ctx, (Rejection) decoded);
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
        @Nullable ReverseMessage call = null;
        try {
            decoded = decoder.decode(message, Direction.REPLY);
            if (decoded instanceof RpcRdmaMessage.Msg msg) {
                payload = payload(msg, message);
            } else if (passReverse && decoded instanceof Rejection) {
                call = callIn(message); // BIS-015
            }
        } finally {
            message.release();
        }
        if (decoded instanceof RpcRdmaMessage header) {
            int payloadBytes = payload == null ? 0 : payload.readableBytes();
            observer().onReceived(ctx, header, RpcRdmaEncoder.encodedBytes(header), payloadBytes);
            receiver.onMessage(header, payload);
        } else if (call != null) {
            handUp(ctx, call);
        } else {
            // Whatever is wrong with it: no answer, no effect on any call. V1-085, V1-107, BIS-016
            observer().onRejected(ctx, (Rejection) decoded);
        }
    }

    /** The reverse call that a message is which is no forward reply, {@code null} if it is neither. */
    private @Nullable ReverseMessage callIn(ByteBuf message) {
        return decoder.decode(message, Direction.CALL) instanceof RpcRdmaMessage header
                ? new ReverseMessage(header, payload(header, message))
                : null;
    }

    /**
     * The reverse reply or error that a message is which is no forward call, {@code null} if it is neither. Calls of
     * the reverse direction offer no reply chunk, so an {@code RDMA_NOMSG} is not one of their replies but a defective
     * call.
     */
    private @Nullable ReverseMessage replyIn(ByteBuf message) {
        return decoder.decode(message, Direction.REPLY) instanceof RpcRdmaMessage header
                        && !(header instanceof RpcRdmaMessage.NoMsg) // V1-114
                ? new ReverseMessage(header, payload(header, message))
                : null;
    }

    private void handUp(ChannelHandlerContext ctx, ReverseMessage message) {
        RpcRdmaMessage header = message.header();
        observer()
                .onReceivedReverse(
                        ctx,
                        header,
                        RpcRdmaEncoder.encodedBytes(header),
                        message.content().readableBytes());
        ctx.fireChannelRead(message);
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
        if (!isReverse()) {
            ctx.write(framed, promise);
            return;
        }
        unsent++;
        ctx.write(new ReverseSend((ByteBuf) framed), promise.addListener(future -> {
            if (ctx.executor().inEventLoop()) {
                unsent--;
            } else {
                ctx.executor().execute(() -> unsent--);
            }
        }));
    }

    @Override
    public int unsent() {
        return unsent;
    }
}
