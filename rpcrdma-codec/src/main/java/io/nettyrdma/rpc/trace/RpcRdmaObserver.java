// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.trace;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.observe.RpcRdmaContinuationReport;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport.Reaction;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import io.nettyrdma.rpc.observe.RpcRdmaSummary.Procedure;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the handlers say what happens on a connection, for the listener and for Flight Recorder. If there is neither a
 * listener nor a recording, nothing is allocated and no clock is read.
 *
 * <p>Threading: confined to the executor of the handler.
 */
public final class RpcRdmaObserver {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RpcRdmaObserver.class);

    private final RpcRdmaRole role;
    private final Listeners listeners;
    private final PeerLog log;
    private @Nullable ChannelHandlerContext ctx;
    private @Nullable RpcRdmaParametersEvent open;
    private long openedNanos;
    private long unmatchedReplies;
    private long rejections;
    private boolean warned;
    private @Nullable Rejection lastRejection;
    private @Nullable ConnectionEvent event;

    /**
     * @param listeners are told, and may throw
     * @param log       where limits that calls have hit are named
     */
    public RpcRdmaObserver(RpcRdmaRole role, Listeners listeners, PeerLog log) {
        this.role = role;
        this.listeners = listeners;
        this.log = log;
    }

    RpcRdmaRole role() {
        return role;
    }

    boolean isListenedTo() {
        return listeners.areThere();
    }

    /** Passes an event to the listeners, if there are some; throws nothing. */
    void onEvent(BiConsumer<RpcRdmaListener, Channel> event) {
        listeners.onEvent(channel(), event);
    }

    /** Sets the context of the handler that observes; before anything else, and for both directions the same one. */
    public void attach(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    ChannelHandlerContext context() {
        return Objects.requireNonNull(ctx, "add the handler to a pipeline first");
    }

    Channel channel() {
        return context().channel();
    }

    long nanoTime() {
        return context().executor().ticker().nanoTime();
    }

    /** The channel has become active. */
    public void onOpened(RpcRdmaParametersEvent parameters) {
        open = parameters;
        if (FlightRecording.ofConnections()) {
            new ConnectionEvent().commit(channel(), role, parameters, "OPENED");
            event = new ConnectionEvent();
            event.begin();
        }
        if (isListenedTo()) {
            openedNanos = nanoTime();
            onEvent((to, channel) -> to.onConnectionOpened(channel, role, parameters));
        }
    }

    /** The channel has become inactive, or the handler has left it. Idempotent. */
    public void onClosed() {
        RpcRdmaParametersEvent parameters = open;
        if (parameters == null) {
            return;
        }
        open = null;
        if (FlightRecording.ofConnections()) {
            ConnectionEvent closing = event == null ? new ConnectionEvent() : event;
            closing.commit(channel(), role, parameters, "CLOSED");
        }
        if (isListenedTo()) {
            long nanos = nanoTime() - openedNanos;
            onEvent((to, channel) -> to.onConnectionClosed(channel, role, parameters, nanos));
        }
    }

    /** A message without a payload stream was handed to the channel. */
    public void onSent(RpcRdmaMessage message, int headerBytes) {
        if (isListenedTo()) {
            RpcRdmaSummary summary = summary(message, headerBytes, 0);
            onEvent((to, channel) -> to.onSent(channel, summary));
        }
    }

    /** A message with a payload stream was handed to the channel. */
    public void onSent(int xid, long credits, ChunkLists chunks, int headerBytes, int payloadBytes) {
        if (isListenedTo()) {
            RpcRdmaSummary summary = summary(Procedure.RDMA_MSG, xid, credits, chunks, headerBytes, payloadBytes);
            onEvent((to, channel) -> to.onSent(channel, summary));
        }
    }

    /** A valid message was received. */
    public void onReceived(RpcRdmaMessage message, int headerBytes, int payloadBytes) {
        if (isListenedTo()) {
            RpcRdmaSummary summary = summary(message, headerBytes, payloadBytes);
            onEvent((to, channel) -> to.onReceived(channel, summary));
        }
    }

    /** A valid message with a payload stream, and without chunks, was received. */
    public void onPlainReceived(int xid, long credits, int headerBytes, ByteBuf payload) {
        if (isListenedTo()) {
            int payloadBytes = payload.readableBytes();
            RpcRdmaSummary summary =
                    summary(Procedure.RDMA_MSG, xid, credits, ChunkLists.ABSENT, headerBytes, payloadBytes);
            onEvent((to, channel) -> to.onReceived(channel, summary));
        }
    }

    /** An error of version 2 was handed to the channel. */
    public void onErrorSent(int xid, Rdma2ErrorCode error, int headerBytes) {
        if (isListenedTo()) {
            RpcRdmaSummary summary = summary(error, xid, 0, headerBytes);
            onEvent((to, channel) -> to.onSent(channel, summary));
        }
    }

    /** A valid error of version 2 was received, whether or not there is something that it answers. */
    public void onErrorReceived(int xid, Rdma2ErrorCode error, long credits, int headerBytes) {
        if (isListenedTo()) {
            RpcRdmaSummary summary = summary(error, xid, credits, headerBytes);
            onEvent((to, channel) -> to.onReceived(channel, summary));
        }
    }

    private RpcRdmaSummary summary(Rdma2ErrorCode error, int xid, long credits, int headerBytes) {
        boolean versions = error == Rdma2ErrorCode.VERS;
        return new RpcRdmaSummary(
                role,
                versions ? Procedure.ERR_VERS : Procedure.RDMA2_ERROR,
                versions ? null : error,
                xid,
                credits,
                headerBytes,
                0,
                0,
                0,
                0);
    }

    /** A credit refresh of version 2 was handed to the channel. */
    public void onRefreshSent(int credits) {
        if (isListenedTo()) {
            onEvent((to, channel) -> to.onRefreshSent(channel, role, credits));
        }
    }

    /** A credit refresh of version 2 was received. */
    public void onRefreshReceived(int credits) {
        if (isListenedTo()) {
            onEvent((to, channel) -> to.onRefreshReceived(channel, role, credits));
        }
    }

    /**
     * The last fragment of a message of version 2, of whatever direction, was handed to the channel or received.
     *
     * @param role of this end in the direction of the call
     */
    public void onContinued(RpcRdmaRole role, Direction message, int xid, int fragments, long payloadBytes) {
        if (isListenedTo()) {
            var report = new RpcRdmaContinuationReport(role, message, xid, fragments, payloadBytes);
            onEvent((to, channel) -> to.onContinued(channel, report));
        }
    }

    private RpcRdmaSummary summary(RpcRdmaMessage message, int headerBytes, int payloadBytes) {
        final Procedure procedure;
        if (message instanceof RpcRdmaMessage.ErrorMsg error) {
            procedure = error.supported() == null ? Procedure.ERR_CHUNK : Procedure.ERR_VERS;
        } else {
            procedure = message instanceof RpcRdmaMessage.Msg ? Procedure.RDMA_MSG : Procedure.RDMA_NOMSG;
        }
        return summary(procedure, message.xid(), message.credits(), message.chunks(), headerBytes, payloadBytes);
    }

    private RpcRdmaSummary summary(
            Procedure procedure, int xid, long credits, ChunkLists chunks, int headerBytes, int payloadBytes) {
        return new RpcRdmaSummary(
                role,
                procedure,
                null,
                xid,
                credits,
                headerBytes,
                payloadBytes,
                chunks.readList().size(),
                chunks.writeList().size(),
                chunks.replyChunk() == null ? 0 : 1);
    }

    /** A received message was not valid. */
    public void onRejected(Rejection rejection) {
        rejections++;
        lastRejection = rejection;
        if (rejection.ownLimit()) {
            log.warn(() -> channel() + " refuses a message by a limit of this side: " + rejection);
        } else if (!warned && rejection.reaction() != Rejection.Reaction.ERR_VERS) { // which negotiates versions
            warned = true;
            log.warn(() -> channel() + " rejects a message, the first of this connection: " + rejection
                    + (rejection.version() == 0
                            ? "; the peer may not speak RPC-over-RDMA, or this handler is not the first one of the"
                                    + " pipeline"
                            : ""));
        } else {
            logger.debug("{} rejected a message: {}", channel(), rejection);
        }
        if (FlightRecording.ofRejections()) {
            RejectionEvent.record(channel(), role, rejection);
        }
        if (isListenedTo()) {
            RpcRdmaRejectionReport report = report(rejection);
            onEvent((to, channel) -> to.onRejected(channel, report));
        }
    }

    private static RpcRdmaRejectionReport report(Rejection rejection) {
        return new RpcRdmaRejectionReport(
                switch (rejection.reaction()) {
                    case DISCARD -> Reaction.DISCARD;
                    case ERR_CHUNK -> Reaction.ERR_CHUNK;
                    case ERR_VERS -> Reaction.ERR_VERS;
                    case RDMA2_ERROR -> Reaction.RDMA2_ERROR;
                },
                rejection.xid(),
                rejection.version(),
                rejection.what(),
                rejection.octet(),
                rejection.found(),
                rejection.expected(),
                rejection.option());
    }

    /**
     * A reply matches no call.
     *
     * @param hint what else there is to say
     */
    public void onReplyUnmatched(int xid, String hint) {
        long count = ++unmatchedReplies;
        log.warn(() -> channel() + ": a reply with xid 0x" + Integer.toHexString(xid) + " matches no call, " + count
                + " of this connection" + hint);
        if (isListenedTo()) {
            onEvent((to, channel) -> to.onReplyUnmatched(channel, role, xid));
        }
    }

    /** Returns which messages of the connection were rejected, for errors; empty if none was. */
    public String rejected() {
        return lastRejection == null
                ? ""
                : rejections + " received messages were rejected, the last one by " + lastRejection;
    }

    /** A call is refused, or a reply not sent, because of what this side or its peer allows, or no handler takes it. */
    public void onLimited(Supplier<String> what) {
        log.warn(() -> channel() + ": " + what.get());
    }

    /** Returns what observes a call that begins now, or {@code null}. */
    @Nullable
    public CallTrace callStarted(int xid) {
        if (!isListenedTo() && !FlightRecording.ofCalls()) {
            return null;
        }
        return new CallTrace(this, xid);
    }

    /** A call was not accepted. */
    public void onRefused(int xid) {
        CallTrace trace = callStarted(xid);
        if (trace != null) {
            trace.onEnded(null, CallOutcome.REFUSED);
        }
    }
}
