// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.ConnectionLink;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ReplyReceiver;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.InlineHeader;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Receives messages of version 1 (RFC 8166).
 *
 * <p>Headers of version 1 do not tell their direction. So a message is one of the forward direction if it can be; only
 * what makes no sense there is looked at again, and no message makes sense in both: if there is an inline payload
 * stream, its msg_type tells, and without one only calls have a read list.
 */
public final class Version1Receiver {

    private final ConnectionLink link;
    private final RpcRdmaDecoder decoder;
    private final InlineHeader inline = new InlineHeader();

    /** @param link has the receivers */
    public Version1Receiver(ConnectionLink link, DecodeLimits limits) {
        this.link = link;
        decoder = new RpcRdmaDecoder(limits);
    }

    /** Takes over a message, and hands on what is in it. */
    public void receive(ChannelHandlerContext ctx, ByteBuf message) {
        if (link.role() == RpcRdmaRole.REQUESTER) {
            receiveReply(ctx, message, Objects.requireNonNull(link.replies()));
        } else {
            receiveCall(ctx, message, Objects.requireNonNull(link.calls()));
        }
    }

    private void receiveCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        if (!inline.read(message, Direction.CALL)) {
            receiveOtherCall(ctx, message, receiver);
            return;
        }
        ByteBuf payload = InlineHeader.payload(message);
        message.release();
        link.observer().onPlainReceived(inline.xid(), inline.credits(), InlineHeader.BYTES, payload);
        receiver.onInlineCall(ctx, inline.xid(), payload, OwedAnswer.NOT_COUNTED);
    }

    /** Anything but a plain call. */
    private void receiveOtherCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        final Decoded decoded;
        @Nullable ByteBuf payload = null;
        @Nullable RpcRdmaMessage reply = null;
        @Nullable MessageLink reverse = link.reverse();
        @Nullable ReplyReceiver replies = reverse == null ? null : reverse.replies();
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
        if (reply != null && payload != null && reverse != null && replies != null) {
            replies.onReadStarted();
            deliverReply(ctx, reply, payload, reverse.observer(), replies);
        } else if (payload != null) {
            deliverCall(ctx, (RpcRdmaMessage) decoded, payload, link.observer(), receiver);
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
        observer.onReceived(header, RpcRdmaEncoder.encodedBytes(header), payload.readableBytes());
        receiver.onMessage(ctx, header, payload, 0, OwedAnswer.NOT_COUNTED);
    }

    private static void deliverReply(
            ChannelHandlerContext ctx,
            RpcRdmaMessage header,
            ByteBuf payload,
            RpcRdmaObserver observer,
            ReplyReceiver receiver) {
        observer.onReceived(header, RpcRdmaEncoder.encodedBytes(header), payload.readableBytes());
        if (header instanceof RpcRdmaMessage.Msg) {
            receiver.onMessage(header, payload);
        } else {
            payload.release();
            receiver.onMessage(header, null);
        }
    }

    private void receiveReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver) {
        if (!inline.read(message, Direction.REPLY)) {
            receiveOtherReply(ctx, message, receiver);
            return;
        }
        ByteBuf payload = InlineHeader.payload(message);
        message.release();
        link.observer().onPlainReceived(inline.xid(), inline.credits(), InlineHeader.BYTES, payload);
        receiver.onInlineReply(inline.xid(), inline.credits(), payload);
    }

    /** Anything but a plain reply. */
    private void receiveOtherReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver) {
        final Decoded decoded;
        @Nullable ByteBuf payload = null;
        @Nullable RpcRdmaMessage call = null;
        @Nullable MessageLink reverse = link.reverse();
        @Nullable CallReceiver calls = reverse == null ? null : reverse.calls();
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
        if (call != null && payload != null && reverse != null && calls != null) {
            deliverCall(reverse.callContext(), call, payload, reverse.observer(), calls);
        } else if (payload != null) {
            deliverReply(ctx, (RpcRdmaMessage) decoded, payload, link.observer(), receiver);
        } else {
            // Whatever is wrong with it: no answer, no effect on any call. V1-085, V1-107, BIS-016
            link.observer().onRejected((Rejection) decoded);
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

    /** Returns the octets behind the header, with a reference of its own. Programs may count on its index 0. */
    private static ByteBuf payload(RpcRdmaMessage header, ByteBuf message) {
        int headerBytes = header instanceof RpcRdmaMessage.Msg msg
                ? RpcRdmaEncoder.headerBytes(msg.chunks())
                : message.readableBytes();
        return message.retainedSlice(message.readerIndex() + headerBytes, message.readableBytes() - headerBytes);
    }
}
