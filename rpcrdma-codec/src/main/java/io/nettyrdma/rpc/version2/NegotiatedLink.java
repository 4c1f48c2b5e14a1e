// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.ConnectionLink;
import io.nettyrdma.rpc.session.Framing;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.ReplyReceiver;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.version1.Version1Framing;
import io.nettyrdma.rpc.version1.Version1Receiver;
import io.nettyrdma.rpc.version2.Fragments.Arrival;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Rejection;
import io.nettyrdma.rpc.wire.v2.Rdma2Sequence;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.net.SocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection that finds its version by its first messages (draft -01, section 4.2.3): until then nothing is framed.
 * The side that has made the connection offers version 2, and goes on with what the peer says. The other side speaks
 * the version of the first message that it can make sense of. {@link Negotiation} has this difference; both sides
 * handle calls and replies alike, in either direction.
 *
 * <p>Threading: confined to the executor of the handler.
 */
final class NegotiatedLink extends ConnectionLink {

    private final Wire wire;
    private final RpcRdmaRole role;
    private final Negotiation negotiation;
    /** Differs from those of the connection before; all messages of own properties have it. 0 without an offer. */
    private final int offerXid;

    private final Framing one = framing();
    private final Version2Framing two;
    private final Version1Receiver version1;
    /** Of first messages, which may be discarded. */
    private final RpcRdmaDecoder decoderOfOne;

    private final Version2Connection connection;
    private final PropertyExchange exchange;
    private final OwnProperties own;
    private final Fragments fragments;
    private final HeldCalls held;
    private final Version2Settings version2;
    private final ParameterAgreement agreement;
    private final VersionMemory memory;
    private @Nullable Version2Framing reverseTwo;
    /** The versions that the peer speaks, as far as it has told. */
    private VersionRange peerVersions = RpcRdmaDecoder.SUPPORTED;

    private long deadlineNanos = Version2Connection.NO_DEADLINE;

    private boolean isVersion2;
    private boolean closing;
    private boolean closed;
    private boolean ended;

    /** @param wires creates the wire; the link may not be used before it is created itself */
    NegotiatedLink(
            Function<NegotiatedLink, Wire> wires,
            RpcRdmaRole role,
            SessionSettings settings,
            Version2Settings version2,
            ParameterAgreement agreement,
            RpcRdmaObserver observer,
            VersionMemory memory) {
        super(role, settings, observer, new Version1Framing(agreement, observer, false));
        wire = wires.apply(this);
        this.role = role;
        this.version2 = version2;
        connection = new Version2Connection(wire, role, settings, version2, agreement, observer);
        two = new Version2Framing(role, connection, observer, false);
        version1 = new Version1Receiver(this, settings.decodeLimits());
        decoderOfOne = new RpcRdmaDecoder(settings.decodeLimits());
        boolean offers = role == RpcRdmaRole.REQUESTER;
        negotiation =
                offers ? new RequesterNegotiation(settings.versions()) : new ResponderNegotiation(settings.versions());
        offerXid = offers ? ThreadLocalRandom.current().nextInt() : 0;
        this.agreement = agreement;
        this.memory = memory;
        InboundSequence sequence = new InboundSequence();
        exchange = new PropertyExchange(wire, connection.decoder(), sequence);
        own = new OwnProperties(wire, connection, exchange);
        fragments = new Fragments(wire, sequence, connection.decoder(), longestCall(), longestReply(), version2);
        held = new HeldCalls(version2, settings.inlineReceiveBytes());
    }

    private int longestCall() {
        boolean none = role == RpcRdmaRole.REQUESTER && !version2.reverseLevel().mayContinue();
        return none ? 0 : version2.maxContinuedBytes();
    }

    private int longestReply() {
        boolean none = role == RpcRdmaRole.RESPONDER && connection.settings().reverseCredits() == 0;
        return none ? 0 : version2.maxContinuedBytes();
    }

    @Override
    public void onActive() {
        SocketAddress peer = wire.remoteAddress();
        boolean remembered = peer != null && memory.remembers(peer, wire.nanoTime());
        follow(negotiation.connect(remembered, offerXid));
        connection.flushIfWanted();
    }

    @Override
    public void receive(ByteBuf message) {
        if (closed || ended) {
            message.release();
        } else if (!isVersion2 && negotiation.isVersion1()) {
            version1.receive(context(), message); // which answers other versions, too
        } else if (!isVersion2 && negotiation.isUndecided() && isVersion1(message)) {
            if (!isDiscarded(message)) { // C27
                follow(negotiation.receive(MessageKind.VERSION_1, 0));
            }
            version1.receive(context(), message);
        } else {
            receiveVersion2(message);
            settle();
            goOn();
        }
    }

    /** Returns whether a first message is of version 1, and this side speaks it. */
    private boolean isVersion1(ByteBuf message) {
        return connection.settings().versions().hasOne()
                && message.readableBytes() >= RpcRdmaEncoder.LISTS_OFFSET
                && message.getInt(message.readerIndex() + 4) == RpcRdmaEncoder.VERSION;
    }

    private boolean isDiscarded(ByteBuf message) {
        return decoderOfOne.decode(message, Direction.CALL) instanceof Rejection rejection
                && rejection.reaction() == Rejection.Reaction.DISCARD;
    }

    /** Takes over a message that may be of version 2. */
    private void receiveVersion2(ByteBuf message) {
        Rdma2Decoded decoded = take(message);
        if (decoded instanceof Rdma2Message.Msg || decoded instanceof Rdma2Message.NoMsg) {
            receiveRpc((Rdma2Message) decoded, message);
            return;
        }
        CreditLedger.@Nullable Answer owed = oweAnswer(decoded);
        NegotiationStep step = step(decoded, message);
        boolean isPart = step.offers() && decoded instanceof Rdma2Message.ConnProp part && part.more();
        CreditLedger.@Nullable Answer error = isPart ? connection.owe() : null; // V2-015: as for a part of a call
        follow(step);
        if (error != null) {
            error.drop();
        }
        handle(step, decoded, message, owed);
    }

    private NegotiationStep step(Rdma2Decoded decoded, ByteBuf message) {
        MessageKind kind = MessageKinds.of(decoded, message);
        if (kind != MessageKind.ERR_VERS) {
            return negotiation.receive(kind, decoded.xid());
        }
        Rdma2Message.ErrorMsg error = (Rdma2Message.ErrorMsg) decoded;
        onVersion1Granted(error.version1Grant());
        peerVersions = new VersionRange(error.error().first(), error.error().second());
        return negotiation.receiveErrVers(
                error.xid(), error.error().first(), error.error().second());
    }

    /** Does what the message just handled has made possible. */
    private void goOn() {
        if (!isVersionKnown() && negotiation.isExchangingProperties() && exchange.isOver() && !ended) {
            negotiation.onPropertiesExchanged();
            openVersion2();
            deliverWaiting();
        }
        connection.onCredits();
        @Nullable ReplyReceiver replies = replyReceiver();
        if (replies != null) {
            replies.onCreditsChanged();
        }
    }

    /** Executes a negotiation step, except for its message, which the caller handles. */
    private void follow(NegotiationStep step) {
        if (step.remembers() && wire.remoteAddress() != null) {
            memory.remember(wire.remoteAddress(), wire.nanoTime());
        }
        if (step.version() == AllowedVersions.ONE) {
            open(one);
            held.drop(); // calls of a version that is not spoken
            agreement.onVersion1(context());
        }
        if (step.version() == AllowedVersions.TWO) {
            isVersion2 = true;
            connection.decoder().onVersionFixed();
        }
        if (step.offers()) {
            deadlineNanos = wire.nanoTime() + version2.timeoutNanos();
            wire.wakeBy(deadlineNanos);
            guard(() -> own.begin(role, offerXid, reverseLevel()));
        }
        NegotiationStep.@Nullable Ending ending = step.ending();
        if (ending != null) {
            end(failure(ending));
        }
    }

    private RpcRdmaException failure(NegotiationStep.Ending ending) {
        return switch (ending) {
            case NO_COMMON_VERSION ->
                RemoteErrorException.ofVersions(offerXid, peerVersions.low(), peerVersions.high());
            case NO_ANSWER -> tooSlow("the offer of version 2 was not answered");
            case PROPERTIES_REFUSED ->
                new ConnectionFailedException(
                        offerXid, Reason.PROPERTIES_REFUSED, "the peer refuses the transport properties of this side");
            case PROPERTIES_TOO_SLOW ->
                tooSlow(
                        own.isPeerAccepted()
                                ? "transport properties were not exchanged"
                                : "host authentication did not end");
            case VERSION_REFUSED ->
                new ConnectionFailedException(
                        offerXid, Reason.VERSION_REFUSED, "the peer refuses version 2 after it has used it");
        };
    }

    private ConnectionFailedException tooSlow(String what) {
        long millis = TimeUnit.NANOSECONDS.toMillis(version2.timeoutNanos());
        return new ConnectionFailedException(offerXid, Reason.NOT_NEGOTIATED, what + " within " + millis + " ms");
    }

    /** Ends the connection if a deadline has passed, at this time of {@link Wire#nanoTime}. */
    void onTime(long nanos) {
        fragments.onTime(nanos);
        long next = Math.min(deadlineNanos, Math.min(fragments.deadlineNanos(), connection.deadlineNanos()));
        if (ended || next == Version2Connection.NO_DEADLINE) {
            return;
        }
        if (nanos < next) {
            wire.wakeBy(next);
        } else if (next == deadlineNanos) {
            follow(negotiation.expire());
        } else {
            end(next == fragments.deadlineNanos() ? fragments.standstill() : connection.standstill());
        }
    }

    private void end(RpcRdmaException why) {
        if (!ended) {
            ended = true;
            closing = true;
            wire.end(why);
        }
    }

    /** A step of telling own properties. */
    private interface Progress {
        void make() throws ConnectionFailedException;
    }

    /** Ends the connection if the peer is not authenticated. */
    private void guard(Progress progress) {
        if (ended) {
            return;
        }
        try {
            progress.make();
        } catch (ConnectionFailedException e) {
            end(e); // V2-092
        }
    }

    /** Returns what this side accepts in calls of the reverse direction. V2-073 (C62) */
    private ReverseLevel reverseLevel() {
        @Nullable MessageLink reverse = reverse();
        boolean takesCalls = role == RpcRdmaRole.REQUESTER && reverse != null && reverse.calls() != null;
        return takesCalls ? version2.reverseLevel() : ReverseLevel.NONE;
    }

    private void open(Framing framing) {
        speakBoth(framing);
        deadlineNanos = Version2Connection.NO_DEADLINE;
    }

    /** A call has come, or its first fragment: if it is the first message, the peer has no properties. */
    private NegotiationStep begin() {
        NegotiationStep step = negotiation.receive(MessageKind.CALL, 0);
        if (negotiation.isOpen() && !isVersionKnown()) {
            exchange.onPresumed(); // C55
            follow(step);
            guard(() -> own.goOn());
            if (!ended) {
                openVersion2();
            }
        } else {
            follow(step);
        }
        return step;
    }

    /** Properties are exchanged: version 2 it is. */
    private void openVersion2() {
        open(two);
        agreement.onVersion2(context(), terms().thresholds(), connection.reverseLevel());
    }

    @Override
    protected Framing reverseFraming(RpcRdmaObserver observer) {
        if (framing() != two) {
            return new Version1Framing(agreement, observer, true);
        }
        Version2Framing framing = new Version2Framing(role.opposite(), connection, observer, true);
        reverseTwo = framing;
        return framing;
    }

    /** Decodes a message that may be of version 2. */
    private Rdma2Decoded take(ByteBuf message) {
        Rdma2Decoded decoded =
                connection.take(message, exchange.isWithinSet() ? Rdma2Sequence.PROPERTIES : fragments.sequence());
        if (decoded instanceof Rdma2Message.ErrorMsg error) {
            long credits = error.creditGrant() + error.version1Grant();
            observerOfErrors().onErrorReceived(error.xid(), error.error().code(), credits, message.readableBytes());
        }
        return decoded;
    }

    /** A server that makes calls receives errors as their requester. */
    private RpcRdmaObserver observerOfErrors() {
        @Nullable MessageLink reverse = reverse();
        boolean calls = role == RpcRdmaRole.RESPONDER && replyReceiver() != null;
        return calls && reverse != null ? reverse.observer() : observer();
    }

    /** Takes over an {@code RDMA2_MSG} or {@code RDMA2_NOMSG}. */
    private void receiveRpc(Rdma2Message header, ByteBuf message) {
        Arrival arrival = fragments.receive(header, message);
        if (arrival == Arrival.FIRST) {
            arrival = wantsFirst(header) ? fragments.begin(header, message) : fragments.decline(message);
        }
        if (arrival instanceof Fragments.Whole whole) {
            if (whole.fragments() > 1) {
                onJoined(header, whole.fragments(), whole.payload().readableBytes());
            }
            onWhole(header, whole.payload());
        } else {
            onLost(arrival);
        }
    }

    /**
     * The first fragment of a message has come, and no message before it is under way. Returns whether the message is
     * wanted.
     */
    private boolean wantsFirst(Rdma2Message header) {
        if (header.response()) {
            @Nullable ReplyReceiver replies = replyReceiver();
            boolean expected = replies != null && replies.expects(header.xid());
            if (!expected) {
                connection.onAnswered(header.xid());
            }
            return expected; // C49
        }
        @Nullable CallReceiver calls = callReceiver();
        if (calls != null && calls.isInProgress(header.xid())) {
            return false; // C49
        }
        CreditLedger.Answer error = connection.owe(); // V2-015: properties leave a credit for one that may follow them
        begin(); // C27
        error.drop();
        if (ended) {
            return false; // V2-092
        }
        connection.onCallArriving();
        return true;
    }

    /** Takes over the payload stream of a message that is whole; the header is that of its last fragment. */
    private void onWhole(Rdma2Message header, ByteBuf payload) {
        if (header.response()) {
            deliverReply(header, payload);
            return;
        }
        CreditLedger.Answer answer = connection.owe();
        NegotiationStep.Handling handling = begin().handling();
        takeCall(ended ? NegotiationStep.Handling.DISCARD : handling, header, payload, answer); // V2-092
    }

    private void deliverReply(Rdma2Message header, ByteBuf payload) {
        connection.onAnswered(header.xid());
        @Nullable Version2Framing framing = role == RpcRdmaRole.REQUESTER ? two : reverseTwo;
        @Nullable ReplyReceiver replies = replyReceiver();
        if (!negotiation.isOpen() || framing == null || replies == null) {
            payload.release();
            return;
        }
        if (framing != two) {
            replies.onReadStarted();
        }
        framing.deliverReply(header, payload, replies);
    }

    /** Answers what never will be whole. */
    private void onLost(Arrival arrival) {
        if (arrival instanceof Fragments.Broken broken) {
            // V2-015: owed before the other one is answered
            CreditLedger.@Nullable Answer owed =
                    broken.itself() instanceof Fragments.CallLost ? connection.owe() : null;
            onLost(broken.before());
            if (owed != null && broken.itself() instanceof Fragments.CallLost call) {
                refuse(call.xid(), call.error(), owed);
            } else {
                onLost(broken.itself());
            }
        } else if (arrival instanceof Fragments.CallLost call) {
            if (call.begun()) {
                connection.onArrivingDropped();
            }
            refuse(call.xid(), call.error(), connection.owe());
        } else if (arrival instanceof Fragments.ReplyLost reply) {
            onReplyLost(reply.why());
        } else if (arrival == Arrival.ABANDONED) {
            connection.onArrivingDropped();
        }
    }

    private void onJoined(Rdma2Message header, int fragments, int bytes) {
        boolean reply = header.response();
        observer()
                .onContinued(
                        reply ? RpcRdmaRole.REQUESTER : RpcRdmaRole.RESPONDER,
                        reply ? Direction.REPLY : Direction.CALL,
                        header.xid(),
                        fragments,
                        bytes);
    }

    /** Takes over a message of properties. */
    private void receiveProperties(Rdma2Message.ConnProp header, ByteBuf message) {
        boolean more = header.more();
        int bytes = message.readableBytes() - Rdma2.PREFIX_BYTES;
        PropertyExchange.Decision decision = exchange.receive(header.xid(), Rdma2.CONNPROP, more, bytes);
        try {
            switch (decision) {
                case COMPLETE -> apply(exchange.join(message, header));
                case KEEP -> exchange.keep(message);
                case DROP -> {}
                case BROKEN -> refuseBoth(header, Rdma2Error.INVAL_CONT);
                case AFTER_FINAL_BROKEN -> refuseBoth(header, Rdma2Error.INVAL_HTYPE);
                case AFTER_FINAL -> {
                    if (!header.response()) { // C11
                        refuse(header.xid(), Rdma2Error.INVAL_HTYPE, connection.owe());
                    }
                }
                case TOO_MUCH ->
                    end(new ConnectionFailedException(
                            header.xid(), Reason.TOO_MANY_PROPERTIES, "the peer has too many properties"));
            }
        } finally {
            message.release();
        }
    }

    /** Refuses properties, and the message that they have broken. */
    private void refuseBoth(Rdma2Message.ConnProp header, Rdma2Error error) {
        // V2-015: owed before the other one is answered
        CreditLedger.@Nullable Answer owed = header.response() ? null : connection.owe(); // C11
        onLost(fragments.breakOff());
        if (owed != null) {
            refuse(header.xid(), error, owed);
        }
    }

    /** Releases the fragments and properties under way that the message just handled has ended. */
    private void settle() {
        onLost(fragments.settle());
        if (!fragments.isJoining()) {
            exchange.drop();
        }
    }

    private void apply(Rdma2Decoded decoded) {
        if (decoded instanceof Rdma2Message.ConnProp header && header.properties() != null) {
            List<TransportProperty> properties = header.properties();
            connection.apply(properties);
            exchange.onApplied(header.tpMore());
            negotiation.onPropertiesApplied();
            guard(() -> own.onApplied(properties));
        } else if (decoded instanceof Rdma2Rejection rejection && rejection.error() != null) {
            observer().onRejected(rejection.report());
            connection.answer(rejection.xid(), rejection.error(), connection.owe());
        }
    }

    /** Takes over a message that is neither call nor reply. */
    private void handle(
            NegotiationStep step, Rdma2Decoded decoded, ByteBuf message, CreditLedger.@Nullable Answer owed) {
        switch (step.handling()) {
            case PROPERTIES -> receiveProperties((Rdma2Message.ConnProp) decoded, message);
            case ERROR -> {
                message.release();
                answer((Rdma2Rejection) decoded, Objects.requireNonNull(owed));
            }
            case ERR_VERS -> {
                message.release();
                answerVersion((Rdma2Rejection) decoded);
            }
            case DELIVER -> {
                message.release();
                deliverError((Rdma2Message.ErrorMsg) decoded);
            }
            default -> {
                if (decoded instanceof Rdma2Rejection rejection) {
                    discard(rejection, message);
                } else {
                    message.release();
                }
            }
        }
    }

    /** The credits of version 2 have no part in it (C43). */
    private void answerVersion(Rdma2Rejection rejection) {
        observer().onRejected(rejection.report());
        Rdma2Message.ErrorMsg error = Rdma2Message.ErrorMsg.versions(
                rejection.xid(),
                rejection.version(),
                version2.grantCredits(),
                negotiation.lowestSpoken(),
                negotiation.highestSpoken());
        observer().onErrorSent(error.xid(), error.error().code(), Rdma2Encoder.encodedBytes(error));
        connection.writeBeside(error);
    }

    private void deliverError(Rdma2Message.ErrorMsg error) {
        connection.onAnswered(error.xid());
        @Nullable ReplyReceiver replies = replyReceiver();
        if (replies != null) {
            replies.onReadStarted();
            Version2Framing.deliverError(error, replies);
        }
    }

    /** Takes over a message that was rejected and is not answered. */
    private void discard(Rdma2Rejection rejection, ByteBuf message) {
        boolean known = Rdma2.isIn(message);
        observer().onRejected(rejection.report());
        message.release();
        @Nullable Arrival lost = known ? fragments.reject(rejection) : null;
        if (lost != null) {
            onLost(lost);
        }
    }

    /** Returns the answer owed, before anything is sent, as its grant leaves out what is owed (C44); or null. */
    private CreditLedger.@Nullable Answer oweAnswer(Rdma2Decoded decoded) {
        return decoded instanceof Rdma2Rejection rejection && rejection.reaction() == Rejection.Reaction.RDMA2_ERROR
                ? connection.owe()
                : null;
    }

    /** A message was rejected, and an answer is owed for that. */
    private void answer(Rdma2Rejection rejection, CreditLedger.Answer owed) {
        @Nullable Arrival lost = fragments.reject(rejection);
        if (lost != null) {
            onLost(lost);
        }
        if (lost != null && rejection.error() != null) {
            observer().onRejected(rejection.report());
            connection.answer(rejection.xid(), rejection.error(), owed);
        } else {
            owed.drop();
        }
    }

    /** Answers a call, or what was taken for one. */
    private void refuse(int xid, Rdma2Error error, CreditLedger.Answer owed) {
        observer().onRejected(Rejection.rdma2Error(xid, Rdma2.VERSION, error.name()));
        connection.answer(xid, error, owed);
    }

    private void onReplyLost(RpcRdmaException why) {
        connection.onAnswered(why.xid());
        @Nullable ReplyReceiver replies = replyReceiver();
        if (replies != null) {
            replies.onError(why);
        }
    }

    /** Returns the receiver of replies to calls of this side, {@code null} without one. */
    private @Nullable ReplyReceiver replyReceiver() {
        if (role == RpcRdmaRole.REQUESTER) {
            return replies();
        }
        @Nullable MessageLink reverse = reverse();
        return reverse == null || !negotiation.isOpen() ? null : reverse.replies(); // no call was made before
    }

    /** Returns the direction in which the peer calls, {@code null} if no handler has asked for it. */
    private @Nullable MessageLink callLink() {
        return role == RpcRdmaRole.REQUESTER ? reverse() : this;
    }

    /** Returns the receiver of the peer's calls, {@code null} without one. */
    private @Nullable CallReceiver callReceiver() {
        @Nullable MessageLink link = callLink();
        return link == null ? null : link.calls();
    }

    /** Takes over a call that is whole. */
    private void takeCall(
            NegotiationStep.Handling handling, Rdma2Message header, ByteBuf payload, CreditLedger.Answer answer) {
        switch (handling) {
            case HOLD -> hold(new HeldCalls.Held(header, payload, answer));
            case DELIVER -> deliverCall(header, payload, answer);
            default -> payload.release(); // the connection is about to end
        }
    }

    /** Keeps a call until properties are exchanged. */
    private void hold(HeldCalls.Held call) {
        try {
            if (!held.add(call)) {
                call.payload().release();
                refuse(call.header().xid(), Rdma2Error.SYSTEM, call.answer()); // C64
            }
        } catch (ConnectionFailedException e) {
            end(e);
        }
    }

    /** Properties are exchanged: calls that were kept are delivered. */
    private void deliverWaiting() {
        for (HeldCalls.Held call = held.poll(); call != null; call = held.poll()) {
            deliverCall(call.header(), call.payload(), call.answer());
        }
    }

    /** Hands on a call that is whole, or answers it. */
    private void deliverCall(Rdma2Message header, ByteBuf payload, CreditLedger.Answer answer) {
        @Nullable MessageLink link = callLink();
        @Nullable CallReceiver calls = callReceiver();
        @Nullable Version2Framing framing = link == this ? two : reverseTwo;
        boolean mayCall = link == this || connection.reverseLevel() != ReverseLevel.NONE;
        if (link == null || calls == null || framing == null || !mayCall) {
            payload.release();
            connection.answer(header.xid(), Rdma2Error.SYSTEM, answer); // C62
        } else {
            framing.deliverCall(link.callContext(), header, payload, calls, answer);
        }
    }

    @Override
    public void onClosing() {
        closing = true;
    }

    @Override
    public void onClosed() {
        follow(negotiation.disconnect(!closing && !context().executor().isShuttingDown()));
        closed = true;
        wire.onClosed();
        exchange.drop();
        held.drop();
        fragments.onClosed();
        connection.onClosed();
    }

    @Override
    public void onReadCompleted() {
        if (isVersion2) {
            connection.onReadCompleted();
        } else {
            connection.flushIfWanted(); // nothing else is sent before the peer has spoken
        }
    }

    @Override
    public void onFlushed() {
        connection.onFlushed();
    }

    @Override
    public void onGrantChanged(int credits) {
        connection.onGrantChanged(credits);
        onReadCompleted(); // C45
    }
}
