// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageNotAcceptedException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcRdmaReply;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.responder.ForwardCalls;
import io.nettyrdma.rpc.session.ConnectionLink;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import org.jspecify.annotations.Nullable;

/**
 * Turns a message channel into the server side of RPC-over-RDMA. Add this handler first, in the initializer of the
 * child channels: it sets the options of the queue pair and the private data of the reply.
 *
 * <p><b>Inbound</b> this handler fires each call as one {@code ByteBuf}: reader index 0, reference count 1, the RPC
 * message from its XID on, without record mark. It includes the content of read chunks, with padding. Calls arrive when
 * they are complete, not always in the order of sending. <b>Outbound</b> write each reply as one {@code ByteBuf} of the
 * same form, or as {@link RpcRdmaReply}, in any order, from any thread; its XID names the call. Results named by the
 * {@linkplain RpcRdmaConfig.Builder#bindings binding} or the {@code RpcRdmaReply} go to the call's write chunks. If the
 * rest does not fit into a Send, it goes to the reply chunk. {@link RpcCallRefusal} ends a call without a reply. Empty
 * buffers and other objects pass through unchanged.
 *
 * <p>The promise of a reply completes with its Send. It fails, and no reply is sent, with
 *
 * <ul>
 *   <li>{@link MessageNotAcceptedException} if no call in progress has that XID; nothing is sent at all;
 *   <li>{@link ConnectionLostException} if the connection has ended, or Netty's {@link
 *       java.nio.channels.ClosedChannelException} once the pipeline is gone;
 *   <li>{@link MessageTooLargeException} if header and reply exceed the reply threshold without a reply chunk, or a
 *       chunk is too small, or {@link MalformedRpcMessageException} if it is not a reply of whole 4-byte words. The
 *       requester receives {@code ERR_CHUNK}, which ends its call; the connection stays open.
 * </ul>
 *
 * <p>This handler stops reading the channel at {@code creditsGranted + 8} calls in progress; calls that the transport
 * delivers in the same read loop are still accepted. It also stops while the channel is not writable, replies wait for
 * the RDMA Writes of others, or calls wait for {@link RpcRdmaConfig.Builder#maxPushingBytes}. A requester may thus
 * exceed its credits by 8.
 *
 * <p>Threading: all state is confined to the executor of the handler, one instance per channel. Ownership: calls
 * fired upwards belong to the next handler, replies written down belong to this one.
 */
public final class RpcRdmaResponderHandler extends ResponderHandler {

    private final RpcRdmaConfig config;
    private final RpcRdmaObserver observer;
    private final ParameterAgreement agreement;
    private final ConnectionLink link;
    private final ForwardCalls calls;
    private volatile @Nullable ChannelHandlerContext context;
    private boolean received;

    /** Creates a responder with all defaults. */
    public RpcRdmaResponderHandler() {
        this(RpcRdmaConfig.defaults());
    }

    /** Creates a responder that grants {@link RpcRdmaConfig.Builder#creditsGranted}. */
    public RpcRdmaResponderHandler(RpcRdmaConfig config) {
        this(config, RdmaByteBufAllocator.DEFAULT);
    }

    /** @param alloc provides the memory that RDMA Reads go to */
    RpcRdmaResponderHandler(RpcRdmaConfig config, ByteBufAllocator alloc) {
        this.config = config;
        SessionSettings settings = config.session();
        observer = settings.observer(RpcRdmaRole.RESPONDER);
        agreement = new ParameterAgreement(RpcRdmaRole.RESPONDER, settings, observer, this::onAgreed);
        link = settings.links().create(RpcRdmaRole.RESPONDER, settings, agreement, observer);
        int credits = config.responder().credits();
        // A requester that keeps to its credits is always read, as the replies of the reverse direction come with its
        // calls, and so do the credits of version 2.
        boolean alwaysRead =
                settings.reverseCredits() > 0 || settings.versions().hasTwo();
        int reserve = Math.max(settings.receiveReserve(), alwaysRead ? 1 : 0);
        calls = new ForwardCalls(link, config.responder(), credits, credits + reserve, alloc);
    }

    private void onAgreed(RpcRdmaParametersEvent parameters) {
        link.onAgreed();
        calls.setParameters(parameters);
    }

    @Override
    ForwardCalls calls() {
        return calls;
    }

    RpcRdmaConfig config() {
        return config;
    }

    ConnectionLink link() {
        return link;
    }

    /**
     * Changes the grant that all further replies carry, from any thread. Receives for {@link
     * RpcRdmaConfig.Builder#creditsGranted} are always posted, so a raise takes effect at once. The requester learns a
     * lower grant with the next reply; calls that it sent before are still served.
     *
     * @param credits 1 to {@link RpcRdmaConfig.Builder#creditsGranted}
     * @throws IllegalArgumentException if out of range
     * @throws IllegalStateException    if the handler is in no pipeline
     */
    public void setCreditsGranted(int credits) {
        Ranges.require("credits", credits, 1, config.responder().credits()); // V1-013, V1-017
        ChannelHandlerContext ctx = context;
        if (ctx == null) {
            throw new IllegalStateException("the handler is in no pipeline: add it to one first");
        }
        if (ctx.executor().inEventLoop()) {
            changeGrant(credits);
        } else {
            ctx.executor().execute(() -> changeGrant(credits));
        }
    }

    private void changeGrant(int credits) {
        calls.setCredits(credits);
        link.onGrantChanged(credits);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        link.attach(ctx);
        if (isBehindProgram(ctx) || !ParameterAgreement.isUsable(ctx)) {
            return;
        }
        context = ctx;
        link.takeCalls(ctx, calls);
        boolean invalidates = ctx.channel() instanceof RdmaChannel channel && channel.canSendWithInvalidate();
        agreement.configure(
                ctx.channel(), config.responder().credits() + config.session().reverseCredits(), invalidates);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        context = null;
        super.handlerRemoved(ctx);
    }

    @Override
    void onConnectionLost(ChannelHandlerContext ctx) {
        super.onConnectionLost(ctx);
        link.onClosed();
        observer.onClosed();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.fireUserEventTriggered(event);
        if (event instanceof RdmaPrivateDataEvent privateData) {
            agreement.onPrivateData(ctx, privateData);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        link.onActive();
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (msg instanceof ByteBuf message) {
            if (!received) {
                received = true;
                warnIfLast(ctx);
            }
            link.deliveries().onReceived();
            link.receive(message);
        } else {
            ctx.fireChannelRead(msg);
        }
    }

    /** Other channels than RDMA ones, such as those of tests, may take what reaches the end of their pipeline. */
    private void warnIfLast(ChannelHandlerContext ctx) {
        if (ctx.pipeline().last() == this && ctx.channel() instanceof RdmaChannel) {
            observer.onLimited(
                    () -> "no handler behind RpcRdmaResponderHandler takes calls, so their callers wait in vain; add an"
                            + " RpcProgramHandler, or a handler of your own, behind it");
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        link.onReadCompleted();
        super.channelReadComplete(ctx);
        if (link.deliveries().readAgain(ctx.channel())) {
            calls.read(ctx);
        }
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        link.onFlushed();
        super.flush(ctx);
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        calls.read(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        calls.onWritabilityChanged(ctx);
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (msg instanceof ByteBuf reply && reply.isReadable()) {
            calls.reply(ctx, reply, null, promise.unvoid());
        } else if (msg instanceof RpcRdmaReply reply) {
            calls.reply(ctx, reply.content(), reply.reducibleResults(), promise.unvoid());
        } else if (msg instanceof RpcCallRefusal refusal) {
            calls.refuse(ctx, refusal.xid(), promise.unvoid());
        } else {
            ctx.write(msg, promise);
        }
    }
}
