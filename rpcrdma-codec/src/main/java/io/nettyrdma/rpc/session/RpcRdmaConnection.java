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
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import org.jspecify.annotations.Nullable;

/**
 * What the handlers have in common: the channel's options, the agreed parameters, framing.
 *
 * <p>Threading: confined to the executor of its handler.
 */
public final class RpcRdmaConnection {

    /** Up to here header and payload are copied together: one buffer is cheaper to send than two. */
    private static final int MAX_COPIED_BYTES = 4096;

    private final RpcRdmaRole role;
    private final SessionSettings settings;
    private CmPrivateData own;
    private final RpcRdmaObserver observer;
    private final @Nullable RpcRdmaConnection forward;
    private @Nullable RpcRdmaParametersEvent parameters; // PD-024
    private int unsent;

    public RpcRdmaConnection(RpcRdmaRole role, SessionSettings settings) {
        this(role, settings, null);
    }

    private RpcRdmaConnection(RpcRdmaRole role, SessionSettings settings, @Nullable RpcRdmaConnection forward) {
        this.role = role;
        this.settings = settings;
        this.forward = forward;
        own = settings.privateData(false);
        observer = new RpcRdmaObserver(role, settings.listener(), settings.log());
    }

    public RpcRdmaObserver observer() {
        return observer;
    }

    /** The same connection in the reverse direction: the parameters are agreed on once (RFC 8167, section 4.2). */
    public static RpcRdmaConnection reverse(RpcRdmaConnection forward) {
        return new RpcRdmaConnection(forward.role.opposite(), forward.settings, forward);
    }

    public boolean isReverse() {
        return forward != null;
    }

    /**
     * Sets what the queue pair is made from. Other channels than RDMA ones do not know these options, and need none.
     *
     * @param credits            receives to be posted for, besides the reserve
     * @param remoteInvalidation whether this side takes part in it
     */
    public void configure(Channel channel, int credits, boolean remoteInvalidation) {
        own = settings.privateData(remoteInvalidation);
        ChannelConfig options = channel.config();
        options.setOption(
                RdmaChannelOption.RDMA_PRIVATE_DATA, settings.announced() ? own.encode() : new byte[0]); // PD-001
        options.setOption(RdmaChannelOption.RDMA_RECEIVE_SIZE, settings.inlineReceiveBytes()); // PD-013
        // V1-017, V1-018, V1-025
        options.setOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, credits + settings.receiveReserve());
        options.setOption(RdmaChannelOption.RDMA_MAX_SEND_SIZE, settings.inlineSendBytes());
    }

    /**
     * Takes the peer's private data. Only the first time counts: the parameters do not change during a connection.
     *
     * @return the parameters to announce, {@code null} if they were known already
     */
    @Nullable
    public RpcRdmaParametersEvent agree(RdmaPrivateDataEvent event) {
        return agree(CmPrivateData.findOrDefaults(event.data()));
    }

    /** Settles for the defaults if the channel became active without private data. */
    @Nullable
    public RpcRdmaParametersEvent agreeOnDefaults() {
        return agree(CmPrivateData.DEFAULTS);
    }

    private @Nullable RpcRdmaParametersEvent agree(CmPrivateData peer) {
        if (parameters != null) {
            return null; // V1-022
        }
        InlineThresholds thresholds = role == RpcRdmaRole.REQUESTER
                ? InlineThresholds.between(own, peer)
                : InlineThresholds.between(peer, own); // V1-021
        parameters = new RpcRdmaParametersEvent(
                thresholds, own.remoteInvalidation() && peer.remoteInvalidation(), peer); // PD-014, PD-020
        return parameters;
    }

    /** Whether the thresholds are final. */
    public boolean isAgreed() {
        return forward != null ? forward.isAgreed() : parameters != null;
    }

    /** To be called when the channel has become active, after the parameters are agreed on. */
    public void observeOpened(ChannelHandlerContext ctx) {
        if (parameters != null) {
            observer.opened(ctx, parameters);
        }
    }

    /**
     * The longest Sends. In the reverse direction the smaller of the two forward ones counts for both, as it does for
     * Linux, whose callback service has a single limit: never more than RFC 8167, section 4.2, allows.
     */
    public InlineThresholds thresholds() {
        if (forward != null) {
            InlineThresholds both = forward.thresholds();
            int bytes = Math.min(both.callBytes(), both.replyBytes());
            return new InlineThresholds(bytes, bytes);
        }
        return parameters == null ? InlineThresholds.DEFAULTS : parameters.thresholds();
    }

    /** An RDMA_MSG as one buffer; the payload's reference is taken over, also if there is no memory for the buffer. */
    public ByteBuf frame(ChannelHandlerContext ctx, int xid, int credits, ChunkLists chunks, ByteBuf payload) {
        int headerBytes = RpcRdmaEncoder.headerBytes(chunks);
        int payloadBytes = payload.readableBytes();
        boolean copied = headerBytes + payloadBytes <= MAX_COPIED_BYTES;
        final ByteBuf header;
        try {
            header = ctx.alloc().directBuffer(copied ? headerBytes + payloadBytes : headerBytes);
        } catch (RuntimeException | OutOfMemoryError e) {
            payload.release();
            throw e;
        }
        RpcRdmaEncoder.encodeMsg(xid, credits, chunks, header);
        if (observer.listens()) {
            observer.sent(ctx, new RpcRdmaMessage.Msg(xid, 1, credits, chunks), payloadBytes);
        }
        if (copied) {
            header.writeBytes(payload); // V1-008, V1-009, V1-058
            payload.release();
            return header;
        }
        CompositeByteBuf message = ctx.alloc().compositeDirectBuffer(2);
        return message.addComponent(true, header).addComponent(true, payload);
    }

    /** A message that is all header: an RDMA_NOMSG or an error. */
    public ByteBuf frame(ChannelHandlerContext ctx, RpcRdmaMessage header) {
        ByteBuf out = ctx.alloc().directBuffer(RpcRdmaEncoder.encodedBytes(header));
        RpcRdmaEncoder.encode(header, out);
        observer.sent(ctx, header, 0);
        return out;
    }

    /** Writes what {@link #frame} has made, or a Send of it. */
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (forward == null) {
            ctx.write(message, promise);
            return;
        }
        unsent++;
        ctx.write(new ReverseSend((ByteBuf) message), promise.addListener(future -> {
            if (ctx.executor().inEventLoop()) {
                unsent--;
            } else {
                ctx.executor().execute(() -> unsent--);
            }
        }));
    }

    /** Messages of the reverse direction that were written, and whose Sends have not completed. */
    public int unsent() {
        return unsent;
    }
}
