// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ReplyShortage;
import io.nettyrdma.rpc.engine.SegmentLimits;
import io.nettyrdma.rpc.engine.WindowCredits;
import io.nettyrdma.rpc.session.Framing;
import io.nettyrdma.rpc.session.InlineFrame;
import io.nettyrdma.rpc.session.LinkTerms;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import org.jspecify.annotations.Nullable;

/** Sends messages of version 1 (RFC 8166): each is one Send, which goes out when it is written. */
public final class Version1Framing extends Framing {

    private final ParameterAgreement agreement;
    private final RpcRdmaObserver observer;
    private final boolean reverse;

    /** @param reverse whether it sends in the reverse direction (RFC 8167) */
    public Version1Framing(ParameterAgreement agreement, RpcRdmaObserver observer, boolean reverse) {
        this.agreement = agreement;
        this.observer = observer;
        this.reverse = reverse;
    }

    @Override
    public LinkTerms terms() {
        InlineThresholds thresholds = thresholds();
        return new LinkTerms(
                RpcRdmaEncoder.VERSION,
                RpcRdmaEncoder.LISTS_OFFSET,
                thresholds,
                thresholds,
                thresholds,
                0,
                SegmentLimits.NONE,
                !reverse,
                true,
                false,
                null);
    }

    /**
     * In the reverse direction the smaller of the two forward ones counts for both, as it does for Linux, whose
     * callback service has a single limit: never more than RFC 8167, section 4.2, allows.
     */
    private InlineThresholds thresholds() {
        InlineThresholds forward = agreement.thresholds();
        if (!reverse) {
            return forward;
        }
        int bytes = Math.min(forward.callBytes(), forward.replyBytes());
        return new InlineThresholds(bytes, bytes);
    }

    @Override
    public CallCredits credits(WindowCredits window) {
        return window;
    }

    @Override
    public Object frame(
            ByteBufAllocator alloc,
            int xid,
            int credits,
            ChunkLists chunks,
            ByteBuf payload,
            int invalidateHandle,
            OwedAnswer answer) {
        int headerBytes = RpcRdmaEncoder.headerBytes(chunks);
        int payloadBytes = payload.readableBytes();
        ByteBuf header = InlineFrame.header(alloc, headerBytes, payload);
        RpcRdmaEncoder.encodeMsg(xid, credits, chunks, header);
        observer.onSent(xid, credits, chunks, headerBytes, payloadBytes);
        return send(InlineFrame.join(alloc, header, payload), invalidateHandle);
    }

    @Override
    public Object frameLong(
            ByteBufAllocator alloc, int xid, int credits, ChunkLists chunks, int invalidateHandle, OwedAnswer answer) {
        RpcRdmaMessage header = new RpcRdmaMessage.NoMsg(xid, RpcRdmaEncoder.VERSION, credits, chunks); // V1-062
        return send(frame(alloc, header), invalidateHandle);
    }

    @Override
    public Object frameError(
            ByteBufAllocator alloc, int xid, int credits, @Nullable ReplyShortage shortage, OwedAnswer answer) {
        return frameErrChunk(alloc, xid, credits);
    }

    private ByteBuf frameErrChunk(ByteBufAllocator alloc, int xid, int credits) {
        return frame(alloc, new RpcRdmaMessage.ErrorMsg(xid, RpcRdmaEncoder.VERSION, credits, null));
    }

    @Override
    public @Nullable Object frameAnswer(ByteBufAllocator alloc, Rejection rejection, int credits, OwedAnswer answer) {
        return switch (rejection.reaction()) {
            case DISCARD -> null;
            case ERR_CHUNK -> frameErrChunk(alloc, rejection.xid(), credits);
            case ERR_VERS ->
                frame(
                        alloc,
                        new RpcRdmaMessage.ErrorMsg(
                                rejection.xid(), rejection.version(), credits, RpcRdmaDecoder.SUPPORTED));
            case RDMA2_ERROR -> throw new IllegalArgumentException("not of version 1: " + rejection);
        };
    }

    /** Frames a message that is all header: an RDMA_NOMSG or an error. */
    private ByteBuf frame(ByteBufAllocator alloc, RpcRdmaMessage header) {
        int headerBytes = RpcRdmaEncoder.encodedBytes(header);
        ByteBuf out = alloc.directBuffer(headerBytes);
        RpcRdmaEncoder.encode(header, out);
        observer.onSent(header, headerBytes);
        return out;
    }

    private static Object send(ByteBuf message, int invalidateHandle) {
        return invalidateHandle == 0 ? message : RdmaSend.invalidating(message, invalidateHandle); // PD-014
    }

    @Override
    protected void write(ChannelHandlerContext ctx, Object framed, ChannelPromise promise) {
        ctx.write(framed, promise);
    }

    @Override
    public void discard(Object framed) {
        ReferenceCountUtil.release(framed);
    }
}
