// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.WindowCredits;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection: the receiver of its messages, the {@link Framing} of its version, and its terms.
 * Requesters and responders deal in RPC messages, chunk lists and rejections, and do not look at the version.
 *
 * <p>Until the version is known, the terms are the defaults of version 1, nothing is framed, and no call may be sent.
 *
 * <p>Threading: confined to the executor of its handler.
 */
public class MessageLink {

    private final RpcRdmaObserver observer;
    private final Deliveries deliveries;
    private final @Nullable ChannelHandlerContext bottom;
    private Framing framing;
    private LinkTerms terms;
    private boolean versionKnown;
    private boolean agreed;
    private @Nullable WindowCredits window;
    private @Nullable ChannelHandlerContext callContext;
    private @Nullable CallReceiver calls;
    private @Nullable ReplyReceiver replies;
    private int unsent;

    /**
     * @param framing of version 1
     * @param bottom  of the reverse direction (RFC 8167), the context of the handler at the bottom of the pipeline;
     *                {@code null} for that handler itself
     */
    MessageLink(
            RpcRdmaObserver observer, Framing framing, Deliveries deliveries, @Nullable ChannelHandlerContext bottom) {
        this.observer = observer;
        this.framing = framing;
        this.deliveries = deliveries;
        this.bottom = bottom;
        terms = framing.terms();
    }

    /** Sets the receiver of the peer's calls, and the context of its handler. */
    public final void takeCalls(ChannelHandlerContext ctx, CallReceiver receiver) {
        callContext = ctx;
        calls = receiver;
    }

    /** Sets the receiver of the peer's replies. */
    public final void takeReplies(ReplyReceiver receiver) {
        replies = receiver;
    }

    /** Removes the receivers, as their handler was removed. */
    public final void takeNothing() {
        callContext = null;
        calls = null;
        replies = null;
        window = null;
    }

    /** Returns the receiver of calls, {@code null} without one. */
    public final @Nullable CallReceiver calls() {
        return calls;
    }

    /** Returns the context for {@link #calls}. */
    public final ChannelHandlerContext callContext() {
        return Objects.requireNonNull(callContext, "no handler accepts calls");
    }

    /** Returns the receiver of replies, {@code null} without one. */
    public final @Nullable ReplyReceiver replies() {
        return replies;
    }

    /** Returns what tells whether to read again; the two directions share it, as one {@code read()} is for both. */
    public final Deliveries deliveries() {
        return deliveries;
    }

    public final RpcRdmaObserver observer() {
        return observer;
    }

    /** Whether this is the reverse direction (RFC 8167). */
    public final boolean isReverse() {
        return bottom != null;
    }

    /** Sets the version. */
    protected final void speak(Framing framing) {
        this.framing = framing;
        terms = framing.terms();
        versionKnown = true;
        if (window != null) {
            window.open();
            if (replies != null) {
                replies.useCredits(framing.credits(window));
            }
        }
    }

    /** Whether the version is known, and with it how calls must be conveyed. */
    public final boolean isVersionKnown() {
        return versionKnown;
    }

    /** The parameters of the connection are agreed on: the terms are final. */
    void onAgreed() {
        agreed = true;
        terms = framing.terms();
    }

    /** Whether the terms are final. */
    public final boolean isAgreed() {
        return agreed;
    }

    public final LinkTerms terms() {
        return terms;
    }

    public final Framing framing() {
        return framing;
    }

    /**
     * Returns which calls may be sent: none until the version is known, when the receiver of replies learns of others.
     *
     * @param requested calls that this side may have unanswered, at least 1
     */
    public final CallCredits requestCredits(int requested) {
        WindowCredits window = new WindowCredits(requested, versionKnown);
        this.window = window;
        return versionKnown ? framing.credits(window) : window;
    }

    /** Adds credits that count in version 1 only. */
    protected final void onVersion1Granted(long granted) {
        if (window != null) {
            window.onGranted(granted);
        }
    }

    /** Returns where RDMA Reads and Writes are written, so that they are in order with the messages of this link. */
    public final ChannelHandlerContext transfers(ChannelHandlerContext ctx) {
        return bottom == null ? ctx : bottom;
    }

    /** Writes what was framed, or queues it until there are credits; the caller flushes. */
    public final void write(ChannelHandlerContext ctx, Object framed, ChannelPromise promise) {
        if (bottom == null) {
            framing.write(ctx, framed, promise);
        } else {
            framing.write(bottom, framed, counting(ctx, promise));
        }
    }

    /** Returns the messages of the reverse direction that were written, and whose Sends have not completed. */
    public final int unsent() {
        return unsent;
    }

    private ChannelPromise counting(ChannelHandlerContext ctx, ChannelPromise promise) {
        unsent++;
        return promise.addListener(future -> {
            if (ctx.executor().inEventLoop()) {
                unsent--;
            } else {
                ctx.executor().execute(() -> unsent--);
            }
        });
    }
}
