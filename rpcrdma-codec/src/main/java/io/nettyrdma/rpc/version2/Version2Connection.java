// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.version2.OutboundQueue.Kind;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Limits;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Sequence;
import io.nettyrdma.rpc.wire.v2.TransportProperties;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The shared state of both directions of a connection of version 2 (draft -01): credits, the queue of sends that wait,
 * and the properties of the two sides. Each message takes a credit, so what is written waits until there is one, and
 * its header gets its credit word when it is sent.
 *
 * <p>Threading: confined to the executor of the handlers. Contexts are those of the one at the bottom of the pipeline.
 */
final class Version2Connection {

    /** Is later than all times of {@link Wire#nanoTime}. */
    static final long NO_DEADLINE = Long.MAX_VALUE;

    /** Answers and messages of properties that wait, beyond the calls that they could be for. */
    private static final int MORE_ANSWERS = 64;

    /**
     * The peer waits for what was not sent: the rest of a message, an error, or properties. A work request that fails
     * closes the channel by itself and tells the reason.
     */
    private final ChannelFutureListener closeOnFailure = this::closeOnFailure;

    private final Wire wire;
    private final RpcRdmaRole role;
    private final SessionSettings settings;
    private final Version2Settings version2;
    private final ParameterAgreement agreement;
    private final RpcRdmaObserver observer;
    private final CreditLedger ledger;
    private final OutboundQueue<Version2Send> queue;
    private final Rdma2Decoder decoder;
    private TransportProperties peer = TransportProperties.DEFAULTS;
    /** The level that this side has told the peer, if it has made the connection. */
    private ReverseLevel announced = ReverseLevel.NONE;

    /** At which the peer must have granted a credit for the answers that wait. */
    private long deadlineNanos = NO_DEADLINE;

    private boolean flushWanted;
    private boolean closed;

    /** @param role of this side in the forward direction */
    Version2Connection(
            Wire wire,
            RpcRdmaRole role,
            SessionSettings settings,
            Version2Settings version2,
            ParameterAgreement agreement,
            RpcRdmaObserver observer) {
        this.wire = wire;
        this.role = role;
        this.observer = observer;
        this.agreement = agreement;
        this.settings = settings;
        this.version2 = version2;
        boolean calls = role == RpcRdmaRole.REQUESTER;
        int base = calls ? SessionSettings.FRAGMENT_RECEIVES + settings.reverseCredits() : version2.grantCredits();
        int own = calls ? version2.callCredits() : Math.max(1, settings.reverseCredits());
        ledger = new CreditLedger(base, own);
        queue = new OutboundQueue<>(ledger, base + MORE_ANSWERS, own);
        decoder = new Rdma2Decoder(limits(), calls ? Direction.REPLY : Direction.CALL);
        if (!calls) {
            decoder.onVersionFixed(); // a responder offers no version
        }
        decoder.setContinuesReplies(continuesReplies());
    }

    private Rdma2Limits limits() {
        if (role == RpcRdmaRole.REQUESTER && !version2.reverseLevel().mayHaveChunks()) {
            return Rdma2Limits.NO_CHUNKS; // V2-075 (C33)
        }
        var limits = settings.decodeLimits();
        return new Rdma2Limits(
                version2.maxSegmentsPerHeader(),
                limits.maxReadChunks(),
                limits.maxWriteChunks(),
                limits.maxReadChunkBytes());
    }

    /** Whether a reply of this side, in the direction in which it takes calls, may be longer than one Send. */
    private boolean continuesReplies() {
        return (role == RpcRdmaRole.RESPONDER || version2.reverseLevel().mayContinue())
                && Rdma2.MIN_HEADER_BYTES + version2.maxContinuedBytes() > longestSend();
    }

    /** The longest Send that this side makes, and the peer takes. */
    int longestSend() {
        return Math.min(settings.inlineSendBytes(), peer.receiveBytes()); // PD-019, V2-019, V2-086 (C24)
    }

    /**
     * Returns the properties of this side.
     *
     * @param level what this side takes of calls in the reverse direction
     */
    List<TransportProperty> properties(ReverseLevel level) {
        announced = level;
        List<TransportProperty> properties = new ArrayList<>(List.of( // V2-181
                TransportProperty.sendBytes(settings.inlineSendBytes()),
                TransportProperty.receiveBytes(settings.inlineReceiveBytes()),
                TransportProperty.segmentBytes(1L << 30),
                TransportProperty.segmentsPerHeader(version2.maxSegmentsPerHeader())));
        if (announced != ReverseLevel.NONE) {
            properties.add(TransportProperty.reverseLevel(announced));
        }
        return properties;
    }

    SessionSettings settings() {
        return settings;
    }

    Version2Settings version2() {
        return version2;
    }

    private void closeOnFailure(ChannelFuture future) {
        if (!future.isSuccess() && !(future.cause() instanceof RdmaWorkRequestException)) {
            wire.close(); // V2-156
        }
    }

    /**
     * Whether Sends of the responder may invalidate, as far as this side can tell: that it can send such ones, or its
     * memory can be invalidated by its peer. In the reverse direction nothing is.
     */
    boolean invalidates(boolean reverse) {
        return !reverse && agreement.remoteInvalidation();
    }

    TransportProperties peer() {
        return peer;
    }

    /** Returns what calls in the reverse direction may use, as told by the side that has made the connection. */
    ReverseLevel reverseLevel() {
        return role == RpcRdmaRole.REQUESTER ? announced : peer.reverseLevel();
    }

    /** Which calls of this side may be sent. */
    CallCredits callCredits(int requested) {
        return new LedgerCredits(ledger, queue, requested);
    }

    /** A set of the peer's properties is whole. */
    void apply(List<TransportProperty> set) {
        peer = peer.apply(set, Math.max(settings.inlineSendBytes(), settings.inlineReceiveBytes()));
        decoder.setContinuesReplies(continuesReplies());
    }

    /**
     * Decodes a message that has come, and takes its credits, whatever becomes of it.
     *
     * @param sequence which sequence it arrives in
     */
    Rdma2Decoded take(ByteBuf message, Rdma2Sequence sequence) {
        Rdma2Decoded decoded = decoder.decode(message, sequence);
        if (Rdma2.isIn(message)) {
            if (decoded instanceof Rdma2Message.CreditGrant refresh) {
                observer.onRefreshReceived(refresh.creditGrant());
            } else {
                ledger.onReceived();
            }
            if (!isErrVers(decoded)) {
                ledger.onGranted(Rdma2.credits(message)); // C43
            }
        }
        return decoded;
    }

    private static boolean isErrVers(Rdma2Decoded decoded) {
        return decoded instanceof Rdma2Message.ErrorMsg error && error.error().code() == Rdma2ErrorCode.VERS;
    }

    Rdma2Decoder decoder() {
        return decoder;
    }

    /** The first fragment of a call has come. */
    void onCallArriving() {
        ledger.onCallArriving();
    }

    /** The call that was arriving will never be whole. */
    void onArrivingDropped() {
        ledger.onCallDropped();
    }

    /** A reply or error has come, perhaps in answer to a call of this side. */
    void onAnswered(int xid) {
        ledger.onAnswered(xid);
    }

    /** This side grants another number of calls from now on. */
    void onGrantChanged(int credits) {
        ledger.changeBase(credits);
    }

    /**
     * Frames an error in answer to a message of the peer.
     *
     * @param observer of the direction of that message
     */
    Version2Send frameError(RpcRdmaObserver observer, int xid, Rdma2Error error, CreditLedger.Answer answer) {
        ByteBuf message = encode(Rdma2Message.ErrorMsg.of(xid, 0, error));
        observer.onErrorSent(xid, error.code(), message.readableBytes());
        return new Version2Send(answer, 0, message);
    }

    /** A call has come whole, or a message that must be answered: a credit for that stays with the peer until then. */
    CreditLedger.Answer owe() {
        return ledger.owe();
    }

    void answer(int xid, Rdma2Error error, CreditLedger.Answer answer) {
        final Version2Send framed;
        try {
            framed = frameError(observer, xid, error, answer);
        } catch (RuntimeException | OutOfMemoryError e) {
            wire.close(); // the peer would wait for it. V2-156
            return;
        }
        send(framed);
    }

    /** Sends a message of this link itself, which no handler above flushes. */
    void send(Version2Send send) {
        write(send, wire.newPromise().addListener(closeOnFailure));
        flushWanted = true;
    }

    ByteBuf encode(Rdma2Message message) {
        ByteBuf out = wire.alloc().directBuffer(Rdma2Encoder.encodedBytes(message));
        Rdma2Encoder.encode(message, out);
        return out;
    }

    /** Sends it when there are credits for it; the caller flushes. */
    void write(Version2Send framed, ChannelPromise promise) {
        Version2Send send = framed.with(promise);
        if (closed) {
            send.fail(new ClosedChannelException());
        } else if (!queue.offer(send)) {
            send.fail(new IllegalStateException("more answers than calls wait for credits of the peer"));
            wire.close();
        } else {
            pump();
        }
    }

    /** Sends a message that has no part in the credits of version 2. */
    void writeBeside(Rdma2Message message) {
        wire.write(encode(message), 0, wire.newPromise());
        flushWanted = true;
    }

    /** Credits have come: sends what they allow. */
    void onCredits() {
        flushWanted |= pump();
    }

    /** Sends what credits allow; returns whether that was something. */
    private boolean pump() {
        boolean sent = false;
        boolean answered = false;
        for (Version2Send send = queue.next(); send != null; send = queue.next()) {
            sent = true;
            ByteBuf message = send.take();
            Rdma2.setCredits(message, queue.creditWord());
            if (queue.isLast()) {
                answered |= send.kind() != Kind.CALL;
                onContinued(send, message);
                wire.write(message, send.invalidateHandle(), send.promise()); // C26
            } else {
                wire.write(message, 0, wire.newPromise().addListener(closeOnFailure));
            }
        }
        watch(answered);
        return sent;
    }

    /** Whole answers count: a peer that grants a credit now and then would keep the others waiting for ever. C64 */
    private void watch(boolean answered) {
        if (queue.firstAnswer() == null) {
            deadlineNanos = NO_DEADLINE;
        } else if (answered || deadlineNanos == NO_DEADLINE) {
            deadlineNanos = wire.nanoTime() + version2.continuationTimeoutNanos();
            wire.wakeBy(deadlineNanos);
        }
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Returns the end of a connection whose peer grants no credit for the answers that wait. */
    ConnectionFailedException standstill() {
        Version2Send first = Objects.requireNonNull(queue.firstAnswer());
        long millis = TimeUnit.NANOSECONDS.toMillis(version2.continuationTimeoutNanos());
        return new ConnectionFailedException(
                first.xid(),
                Reason.TOO_SLOW,
                "the peer has granted too few credits for the first of " + queue.answersWaiting() + " answers for "
                        + millis + " ms, which is RpcRdmaConfig.peerTimeout");
    }

    private void onContinued(Version2Send send, ByteBuf last) {
        if (send.messages() > 1 && send.kind() != Kind.PROPERTIES) {
            boolean call = send.kind() == Kind.CALL;
            observer.onContinued(
                    call ? RpcRdmaRole.REQUESTER : RpcRdmaRole.RESPONDER,
                    call ? Direction.CALL : Direction.REPLY,
                    Rdma2.xid(last),
                    send.messages(),
                    send.payloadBytes());
        }
    }

    /** The messages that were received together are handled. */
    void onReadCompleted() {
        if (!closed && queue.mayRefresh()) {
            ByteBuf refresh = encode(new Rdma2Message.CreditGrant(0));
            int credits = ledger.refresh();
            Rdma2.setCredits(refresh, credits);
            wire.write(refresh, 0, wire.newPromise()); // C45
            observer.onRefreshSent(Rdma2.grant(credits));
            flushWanted = true;
        }
        flushIfWanted();
    }

    /** Flushes what this link has written by itself. */
    void flushIfWanted() {
        if (flushWanted) {
            flushWanted = false;
            wire.flush();
        }
    }

    /** Another handler has flushed, or is about to. */
    void onFlushed() {
        flushWanted = false;
    }

    /** Nothing can be sent any more. Idempotent. */
    void onClosed() {
        closed = true;
        deadlineNanos = NO_DEADLINE;
        for (@Nullable Version2Send send = queue.drain(); send != null; send = queue.drain()) {
            send.fail(new ClosedChannelException());
        }
    }
}
