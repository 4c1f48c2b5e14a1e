// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaDeviceEvent;
import io.nettyrdma.channel.RdmaKeyInvalidatedEvent;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageNotAcceptedException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.requester.OutstandingCalls;
import io.nettyrdma.rpc.session.ConnectionLink;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import java.nio.channels.NotYetConnectedException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns a message channel into the client side of RPC-over-RDMA. Add this handler first, in the channel's initializer:
 * it sets the options of the queue pair and the private data of the connection request.
 *
 * <p><b>Outbound</b> write each call as one {@code ByteBuf}: the RPC message from its XID on, without record mark. The
 * application chooses an XID that differs from those of all outstanding calls. A {@link RpcRdmaCall} adds hints.
 * Empty buffers and other objects pass through unchanged. <b>Inbound</b> this handler fires each reply as one {@code
 * ByteBuf} of the same form: reader index 0, reference count 1. Use {@link RpcRdmaRequester} to get a future per call
 * instead; replies to its calls are not fired.
 *
 * <p><b>Chunks.</b> Over an {@link io.nettyrdma.channel.RdmaChannel}, with this handler on the channel's event loop,
 * this handler sends a call that does not fit inline in read chunks, and offers memory for a reply that may not fit.
 * The {@linkplain RpcRdmaConfig.Builder#bindings upper-layer binding} of the program, the {@link RpcRdmaCall} and the
 * {@link RpcRdmaConfig} control this. The responder can access the memory from the Send of the call until just before
 * the application learns how the call ended. A responder that accesses the memory of a call later, after a timeout or
 * cancellation, loses the connection. The bytes of a call must not change until it has ended. Over other channels
 * that keep messages apart everything is inline. This handler refuses byte streams, and {@link
 * io.nettyrdma.flow.RdmaFlowControlHandler} in front of it.
 *
 * <p>Drops calls of the responder (the reverse direction) unless a {@link RpcRdmaReverseResponderHandler} is above.
 *
 * <p>How a written call ends:
 *
 * <ul>
 *   <li>Not accepted: only its promise fails. The cause is {@link MalformedRpcMessageException} (not a call of whole
 *       4-byte words), {@link MessageTooLargeException} (exceeds the call threshold without memory for chunks, a
 *       limit of chunks, or the target of its result), {@link MessageNotAcceptedException} (the XID of another call, or
 *       too many calls), {@code IllegalArgumentException} (a target of {@link
 *       io.nettyrdma.rpc.message.RpcRdmaCall#replyInto} without effect), {@link ConnectionLostException} (or {@link
 *       java.nio.channels.ClosedChannelException} once Netty has removed the handlers of a closed channel) or {@link
 *       NotYetConnectedException}.
 *   <li>Accepted: this handler fires either its reply or one {@link RpcCallFailedEvent} with its XID, regardless of the
 *       promise. The promise completes with the Send, and fails if the call is never sent. Cancelling it before the
 *       Send withdraws the call: nothing is fired.
 * </ul>
 *
 * <p>Threading: all state is confined to the executor of the handler, one instance per channel; writes and calls may
 * come from any thread. Ownership: calls written down belong to this handler, replies fired upwards to the next.
 */
public final class RpcRdmaRequesterHandler extends RequesterHandler {

    private final RpcRdmaConfig config;
    private final RpcRdmaObserver observer;
    private final ParameterAgreement agreement;
    private final ConnectionLink link;
    private final Function<ChannelHandlerContext, @Nullable CallMemory> memory;
    private @Nullable CallMemory chunkMemory;

    /** Creates a requester with all defaults. */
    public RpcRdmaRequesterHandler() {
        this(RpcRdmaConfig.defaults());
    }

    /** Creates a requester that asks for {@link RpcRdmaConfig.Builder#creditsRequested}. */
    public RpcRdmaRequesterHandler(RpcRdmaConfig config) {
        this(config, CallMemory::of);
    }

    RpcRdmaRequesterHandler(RpcRdmaConfig config, Function<ChannelHandlerContext, @Nullable CallMemory> memory) {
        this.config = config;
        this.memory = memory;
        SessionSettings settings = config.session();
        observer = settings.observer(RpcRdmaRole.REQUESTER);
        agreement = new ParameterAgreement(RpcRdmaRole.REQUESTER, settings, observer, parameters -> link().onAgreed());
        link = settings.links().create(RpcRdmaRole.REQUESTER, settings, agreement, observer);
    }

    @Override
    RpcRdmaConfig config() {
        return config;
    }

    ConnectionLink link() {
        return link;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        link.attach(ctx);
        if (!ParameterAgreement.isUsable(ctx)) {
            return;
        }
        chunkMemory = memory.apply(ctx);
        agreement.configure(
                ctx.channel(),
                config.requester().credits() + config.session().reverseCredits(),
                canBeInvalidatedByPeer());
        OutstandingCalls calls = new OutstandingCalls(
                ctx, config.requester(), link, chunkMemory, config.requester().credits());
        start(ctx, calls);
        link.takeReplies(calls);
        if (ctx.channel().isActive() && !link.isVersionKnown()) {
            // channelActive was fired before. Activate later: a reverse handler that is added next takes part.
            ctx.executor().execute(() -> activateIfPresent(ctx));
        }
    }

    private boolean canBeInvalidatedByPeer() {
        return chunkMemory != null && chunkMemory.canBeInvalidatedByPeer();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        super.handlerRemoved(ctx);
        link.onClosing();
        link.onClosed();
        observer.onClosed();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.fireUserEventTriggered(event);
        if (event instanceof RdmaDeviceEvent) {
            agreement.announce(ctx.channel(), canBeInvalidatedByPeer());
        } else if (event instanceof RdmaPrivateDataEvent privateData) {
            agreement.onPrivateData(ctx, privateData);
        } else if (event instanceof RdmaKeyInvalidatedEvent invalidated) {
            calls().onHandleInvalidated(invalidated);
        }
    }

    private void activateIfPresent(ChannelHandlerContext ctx) {
        if (!ctx.isRemoved()) {
            activate(ctx);
        }
    }

    private void activate(ChannelHandlerContext ctx) {
        link.onActive();
        OutstandingCalls calls = calls();
        calls.onCreditsChanged(); // sends calls that were made before the connection was active
        calls.onReadCompleted();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        activate(ctx);
        ctx.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        link.onClosed(); // first: handlers above may reconnect when they learn of it
        super.channelInactive(ctx);
        observer.onClosed();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        link.onReadCompleted();
        super.channelReadComplete(ctx);
        if (link.deliveries().readAgain(ctx.channel())) {
            ctx.read();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!(msg instanceof ByteBuf message)) {
            ctx.fireChannelRead(msg);
            return;
        }
        OutstandingCalls calls = calls();
        calls.onReadStarted();
        link.deliveries().onReceived();
        link.receive(message);
        calls.onMessageHandled();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        link.onFlushed();
        super.flush(ctx);
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        link.onClosing();
        ctx.close(promise);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (msg instanceof RpcRdmaCall call) {
            write(call, promise);
        } else if (msg instanceof ByteBuf message && message.isReadable()) {
            write(RpcRdmaCall.of(message), promise);
        } else {
            ctx.write(msg, promise);
        }
    }
}
