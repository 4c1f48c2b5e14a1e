// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The forward direction of a connection, of the handler at the bottom of the pipeline: it receives the messages of both
 * directions.
 */
public abstract class ConnectionLink extends MessageLink {

    private final RpcRdmaRole role;
    private final SessionSettings settings;
    private @Nullable ChannelHandlerContext context;
    private @Nullable MessageLink reverse;

    /**
     * @param role    of this side
     * @param framing of version 1
     */
    protected ConnectionLink(RpcRdmaRole role, SessionSettings settings, RpcRdmaObserver observer, Framing framing) {
        super(observer, framing, new Deliveries(), null);
        this.role = role;
        this.settings = settings;
    }

    /** Sets the context of the handler at the bottom of the pipeline, before anything else. */
    public final void attach(ChannelHandlerContext ctx) {
        context = ctx;
        observer().attach(ctx);
    }

    /** Returns the context of the handler at the bottom of the pipeline. */
    public final ChannelHandlerContext context() {
        return Objects.requireNonNull(context, "add the handler to a pipeline first");
    }

    /** Creates what sends in the reverse direction, in the version that is spoken. */
    protected abstract Framing reverseFraming(RpcRdmaObserver observer);

    /**
     * Creates the link of the reverse direction, in which this side has the other role. The former one, if there was
     * one, receives nothing any more.
     */
    public final MessageLink createReverse() {
        ChannelHandlerContext bottom = context();
        RpcRdmaObserver observer = settings.observer(role.opposite());
        observer.attach(bottom);
        Framing framing = reverseFraming(observer);
        MessageLink link = new MessageLink(observer, framing, deliveries(), bottom);
        if (isVersionKnown()) {
            link.speak(framing);
        }
        if (isAgreed()) {
            link.onAgreed();
        }
        reverse = link;
        return link;
    }

    /** Returns the reverse direction, {@code null} if no handler has asked for it. */
    public final @Nullable MessageLink reverse() {
        return reverse;
    }

    /** Sets the version of both directions. */
    protected final void speakBoth(Framing framing) {
        speak(framing);
        MessageLink reverse = this.reverse;
        if (reverse != null) {
            reverse.speak(reverseFraming(reverse.observer()));
        }
    }

    @Override
    public final void onAgreed() {
        super.onAgreed();
        if (reverse != null) {
            reverse.onAgreed();
        }
    }

    /** Returns the role of this side in the forward direction. */
    public final RpcRdmaRole role() {
        return role;
    }

    /** The channel has become active. */
    public void onActive() {}

    /** Takes over a message, and hands on what is in it. */
    public abstract void receive(ByteBuf message);

    /** The messages that were received together are handled. */
    public void onReadCompleted() {}

    /** Another handler has flushed, or is about to. */
    public void onFlushed() {}

    /** The program has asked for the end of the connection. */
    public void onClosing() {}

    /** Nothing can be sent any more, and nothing comes. Idempotent. */
    public void onClosed() {}

    /** This side grants another number of calls from now on. */
    public void onGrantChanged(int credits) {}
}
