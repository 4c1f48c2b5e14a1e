// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.util.internal.UnstableApi;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.requester.RequesterLimits;
import io.nettyrdma.rpc.responder.ResponderLimits;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.Listeners;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.CmPrivateData;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Limits and sizes of an RPC-over-RDMA endpoint; one instance serves any number of handlers of either role. A peer that
 * exceeds a limit receives a protocol error, an application a named exception.
 *
 * <p><b>Memory per connection.</b> A connection holds at most the sum of the following, whatever its peer does.
 * Registered memory comes in powers of two, of 256 bytes or more. A length that the peer only claims costs nothing.
 *
 * <ul>
 *   <li>Posted receives: (credits + 8 + {@code reverseCredits}) x {@code inlineReceiveBytes}, 288 KiB for a responder
 *       and 544 KiB for a requester with the defaults.
 *   <li>A responder's calls in progress: {@code creditsGranted + 8}, and up to 31 more from the same read. Each holds
 *       its received message, {@code inlineReceiveBytes}, about 100 bytes of heap per segment in it, and up to {@code
 *       maxCallBytes} from the time its chunks are pulled until the application releases it. In version 2 a call in
 *       fragments holds up to {@code maxContinuedBytes} from when the application receives it; those that wait before
 *       hold {@code maxPushingBytes} together, or one call if that is more.
 *   <li>A responder's transfers: {@code maxPullingBytes}, or {@code maxCallBytes} if that is more, of chunks in
 *       transfer, for {@code peerTimeout} if the peer does nothing; about 300 bytes of heap for each of up to 256 RDMA
 *       Reads and 256 RDMA Writes.
 *   <li>A responder's replies: {@code maxPushingBytes}, or the room that one call offers if that is more, of replies in
 *       chunks, from when the application receives their calls until the peer has taken them; and up to {@code
 *       inlineSendBytes} of each reply. While these exceed the high {@link io.netty.channel.WriteBufferWaterMark} of
 *       the channel, 64 KiB unless set, this side stops reading.
 *   <li>A client's replies to reverse calls: up to 128 of {@code inlineSendBytes}, if its server takes none of them.
 *   <li>In version 2: {@code maxContinuedBytes} of an incomplete message of the peer, and 64 KiB of its properties; a
 *       responder's replies in fragments, which count for {@code maxPushingBytes}; other answers that wait for credits,
 *       as many as calls plus 64, of up to {@code inlineSendBytes}. All of it for {@code peerTimeout} if the peer does
 *       nothing. Before properties are exchanged, for 5 s: up to 64 calls, {@code maxContinuedBytes} or 64 x {@code
 *       inlineReceiveBytes} together.
 *   <li>A requester's calls: {@code maxCallsWaiting} messages (with {@code RpcRdmaClient.callWhenRoom}, at most a
 *       quarter of the direct memory), {@code maxChunkBytesPerCall} for each of {@code creditsRequested}, and the
 *       replies that handlers keep. Unmatched replies hold nothing.
 * </ul>
 *
 * <p><b>Memory of the process.</b> All connections of all event loops together hold for slow peers at most a quarter of
 * the direct memory of the process ({@code -XX:MaxDirectMemorySize}, by default the size of the heap): replies in
 * chunks or fragments and, in version 2, incomplete messages. Another quarter is for read chunks in transfer, and a
 * third one, in version 2, for whole calls that wait. The rest is for what each connection needs. In each quarter, the
 * first 64 KiB of a connection do not count, and neither do answers of one Send. A connection takes no more than it
 * leaves free for the others.
 *
 * <p>Calls that find no room for their replies or chunks wait, first come, first served. Meanwhile this side closes
 * connections that hold room and whose peers make no progress for a quarter of {@code peerTimeout}. It refuses a call
 * that has waited for {@code peerTimeout} with {@code ERR_CHUNK} or {@code RDMA2_ERR_SYSTEM}, and the log names the
 * limit. A fragment, a whole call in fragments, and a reply in fragments whose length no binding bounds cannot wait:
 * without room they are refused.
 *
 * <p>Threading: immutable.
 */
public final class RpcRdmaConfig {

    private static final int MIN_INLINE_BYTES = 1024;
    private static final int MAX_INLINE_BYTES = 256 * 1024;

    private static final PeerLog LOG = PeerLog.of(RpcRdmaObserver.class);

    private static final RpcRdmaConfig DEFAULT = builder().build();

    private final Builder values;
    private final EndpointSettings settings;

    private RpcRdmaConfig(Builder builder) {
        values = builder.copy();
        settings = EndpointSettings.of(values);
    }

    /** Returns a configuration with all defaults. */
    public static RpcRdmaConfig defaults() {
        return DEFAULT;
    }

    /** Returns a builder preset with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder preset with this configuration. */
    public Builder toBuilder() {
        return values.copy();
    }

    /** Returns the default time between the submission of a call and its failure. */
    public Duration callTimeout() {
        return Duration.ofNanos(values.callTimeoutNanos);
    }

    /** Settings of both roles. */
    SessionSettings session() {
        return settings.session();
    }

    /** Limits for the calls of a requester. */
    RequesterLimits requester() {
        return settings.requester();
    }

    /** Limits for the calls that a responder executes. */
    ResponderLimits responder() {
        return settings.responder();
    }

    @Override
    public String toString() {
        return "RpcRdmaConfig[inlineSendBytes=" + values.inlineSendBytes
                + ", inlineReceiveBytes=" + values.inlineReceiveBytes
                + ", privateData=" + values.hasPrivateData
                + ", creditsGranted=" + values.creditsGranted
                + ", creditsRequested=" + values.creditsRequested
                + ", reverseCredits=" + values.reverseCredits
                + ", versions=" + values.versions.lowest() + " to " + values.versions.highest()
                + ", version2=" + values.version2
                + ", callTimeout=" + Duration.ofNanos(values.callTimeoutNanos)
                + ", peerTimeout=" + Duration.ofNanos(values.peerTimeoutNanos)
                + ", maxCallsWaiting=" + values.maxCallsWaiting
                + ", maxCallBytes=" + values.maxCallBytes
                + ", maxPullingBytes=" + values.maxPullingBytes
                + ", maxPushingBytes=" + values.maxPushingBytes
                + ", maxChunkBytesPerCall=" + values.maxChunkBytesPerCall
                + ", bindings=" + values.bindings
                + ", listeners=" + values.listeners.all()
                + ']';
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder implements Cloneable {

        int inlineSendBytes = 4096;
        int inlineReceiveBytes = 4096;
        boolean hasPrivateData = true;
        int creditsGranted = 64;
        int creditsRequested = 128;
        int reverseCredits;
        AllowedVersions versions = new AllowedVersions(AllowedVersions.ONE, AllowedVersions.ONE);
        RpcRdmaVersion2Settings version2 = new RpcRdmaVersion2Settings();
        long callTimeoutNanos = Duration.ofSeconds(60).toNanos();
        long peerTimeoutNanos = Duration.ofSeconds(60).toNanos();
        int maxCallsWaiting = 1024;
        int maxCallBytes = 4 << 20;
        long maxPullingBytes = 16 << 20;
        long maxPushingBytes = 16 << 20;
        int maxChunkBytesPerCall = 16 << 20;
        UpperLayerBindings bindings = UpperLayerBindings.nfs();

        Listeners listeners = Listeners.NONE;
        PeerLog log = LOG;
        FixedLimits fixed = new FixedLimits();

        private Builder() {}

        /**
         * Longest Send of this side, header included: 1024 to 262144 bytes, default 4096. Advertised rounded down to a
         * multiple of 1024 (RFC 8797, section 4.2). If the peer's receives are smaller, their size applies.
         */
        public Builder inlineSendBytes(int bytes) {
            inlineSendBytes = Ranges.require("inlineSendBytes", bytes, MIN_INLINE_BYTES, MAX_INLINE_BYTES);
            hasPrivateData = true;
            return this;
        }

        /**
         * Length of each posted receive: 1024 to 262144 bytes, default 4096. Advertised rounded down to a multiple of
         * 1024. Costs this many bytes of registered memory per credit.
         */
        public Builder inlineReceiveBytes(int bytes) {
            inlineReceiveBytes = // V1-026
                    Ranges.require("inlineReceiveBytes", bytes, MIN_INLINE_BYTES, MAX_INLINE_BYTES);
            hasPrivateData = true;
            return this;
        }

        /**
         * Sends no private data, as a side without RFC 8797, and sets both {@link #inlineSendBytes} and {@link
         * #inlineReceiveBytes} to the 1024 bytes that the peer must assume then. This also disables remote
         * invalidation. For peers or connection managers that do not accept private data. Changing the sizes later
         * cancels this setting.
         */
        public Builder withoutPrivateData() {
            inlineSendBytes(CmPrivateData.DEFAULTS.sendBytes());
            inlineReceiveBytes(CmPrivateData.DEFAULTS.receiveBytes());
            hasPrivateData = false;
            return this;
        }

        /**
         * Calls that a requester may have outstanding at this responder: 1 to 16384, default 64. Each costs one posted
         * receive.
         */
        public Builder creditsGranted(int credits) {
            creditsGranted = Ranges.require("creditsGranted", credits, 1, 16384); // V1-013
            return this;
        }

        /**
         * Calls that this requester wants to have outstanding: 1 to 16384, default 128. Each costs one posted receive.
         * If the responder grants fewer, its grant applies.
         */
        public Builder creditsRequested(int credits) {
            creditsRequested = Ranges.require("creditsRequested", credits, 1, 16384);
            return this;
        }

        /**
         * Calls that a server may have outstanding at its client, over the client's connection (RFC 8167): 0 to 16384,
         * default 0, which switches the reverse direction off. A client grants this number, a server asks for it; the
         * smaller applies. Each costs one posted receive on both sides. {@link RpcRdmaReverseResponderHandler} and
         * {@link RpcRdmaReverseRequesterHandler} need at least 1. Linux' NFS server asks for 2 and has 2 calls
         * outstanding regardless of the grant, even before the first reply: its clients must grant at least 2.
         */
        public Builder reverseCredits(int credits) {
            reverseCredits = Ranges.require("reverseCredits", credits, 0, 16384);
            return this;
        }

        /**
         * Allowed versions of the protocol, default version 1 only. Version 2 is the wire format of
         * draft-ietf-nfsv4-rpcrdma-version-two-01; later drafts use the same number for another format. If both are
         * allowed, a requester offers version 2 and falls back to version 1, and a responder uses the version of the
         * first message. Version 2 costs a requester 17 more receives.
         *
         * @param lowest  1 or 2
         * @param highest {@code lowest} to 2
         * @throws IllegalArgumentException if out of range
         */
        public Builder versions(int lowest, int highest) {
            versions = new AllowedVersions(lowest, highest);
            return this;
        }

        /**
         * Sets what only version 2 has: {@code version2(v2 -> v2.maxContinuedBytes(0))}. Settings that it leaves alone
         * keep their values.
         *
         * @param settings is called at once
         */
        @UnstableApi
        public Builder version2(Consumer<RpcRdmaVersion2Settings> settings) {
            settings.accept(version2);
            return this;
        }

        /**
         * Time from the submission of a call, including its wait for a credit, to its failure: more than zero, default
         * 60 s. A call that times out after it was sent keeps its credit until its reply arrives. The handler closes
         * the connection if such calls keep all credits.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder callTimeout(Duration timeout) {
            callTimeoutNanos = Ranges.requirePositive("callTimeout", timeout);
            return this;
        }

        /**
         * Calls that may wait for a credit: 0 to 2<sup>20</sup>, default 1024. Each keeps its message. One more fails
         * with {@link io.nettyrdma.rpc.error.MessageNotAcceptedException}; {@code RpcRdmaClient.callWhenRoom} waits.
         */
        public Builder maxCallsWaiting(int calls) {
            maxCallsWaiting = Ranges.require("maxCallsWaiting", calls, 0, 1 << 20);
            return this;
        }

        /**
         * Longest whole call with read chunks: 64 to 2<sup>30</sup> bytes, default 4 MiB. Beyond, {@code ERR_CHUNK}
         * before anything is pulled. Costs this much memory for each of up to {@code creditsGranted + 8} calls in
         * progress, from the time it is pulled until the application releases it.
         */
        public Builder maxCallBytes(int bytes) {
            maxCallBytes = Ranges.require("maxCallBytes", bytes, 64, 1 << 30);
            return this;
        }

        /**
         * Bytes that a responder pulls at a time per connection: 1 to 2<sup>40</sup>, default 16 MiB. Calls beyond wait
         * for earlier ones; a single longer call is pulled alone. Costs this much memory in addition to calls that the
         * application already has.
         */
        public Builder maxPullingBytes(long bytes) {
            maxPullingBytes = Ranges.require("maxPullingBytes", bytes, 1, 1L << 40);
            return this;
        }

        /**
         * Bytes of replies in chunks, and in version 2 in fragments, that a responder has in progress per connection: 1
         * to 2<sup>40</sup>, default 16 MiB. From its delivery to the application on, a call counts with the room that
         * its chunks offer, or with the longest reply in fragments that its binding allows. Its reply counts with the
         * bytes written or sent, until its last Send has completed. Calls beyond wait for earlier ones, and this side
         * stops reading; a single call that offers more is executed alone. A reply in fragments whose length no binding
         * bounds is answered with {@code RDMA2_ERR_SYSTEM} if it exceeds this beside others. A requester that takes no
         * replies makes a responder hold this much, or half the limit of the process (see above) if that is less.
         */
        public Builder maxPushingBytes(long bytes) {
            maxPushingBytes = Ranges.require("maxPushingBytes", bytes, 1, 1L << 40);
            return this;
        }

        /**
         * Longest time that a peer may keep this side waiting in the middle of its work: more than zero, default 60 s.
         * After it the handler fires {@link io.nettyrdma.rpc.error.ConnectionFailedException} and closes the
         * connection. While other connections wait for memory that this one holds (see above), a quarter of this time
         * counts, also for a reply that the peer does not take. It limits
         *
         * <ul>
         *   <li>the time in which no RDMA Read of a responder completes: until then a requester that serves none makes
         *       it hold {@link #maxPullingBytes};
         *   <li>in version 2, the time from the first to the last fragment of a message, and the time in which no reply
         *       or error that waits for credits is sent completely;
         *   <li>the time for which a call waits for memory that other connections hold; then the call is refused.
         * </ul>
         *
         * <p>Only whole Reads and messages count: otherwise a peer that sends a byte now and then could make this side
         * hold memory forever. This sets a lowest rate. One Read brings one segment, at most {@link #maxCallBytes}, and
         * Reads are served in order: with the defaults a requester must bring 4 MiB in 60 s, 70 KB/s, for all its calls
         * together. Set more for slower links or longer segments.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder peerTimeout(Duration timeout) {
            peerTimeoutNanos = Ranges.requirePositive("peerTimeout", timeout);
            return this;
        }

        /**
         * Items allowed in chunks and bounds of replies, by program and version; default {@link
         * UpperLayerBindings#nfs()}. Both sides of a connection must use the same bindings. Calls of other programs are
         * never reduced.
         */
        public Builder bindings(UpperLayerBindings bindings) {
            this.bindings = Objects.requireNonNull(bindings, "bindings");
            return this;
        }

        /**
         * Bytes of memory that one call of a requester may expose to its responder, arguments and results together: 0
         * to 2<sup>31</sup>-1, default 16 MiB; 0 sends everything inline. A connection exposes at most this much per
         * credit. Beyond, {@link io.nettyrdma.rpc.error.MessageTooLargeException}.
         */
        public Builder maxChunkBytesPerCall(int bytes) {
            maxChunkBytesPerCall = Ranges.require("maxChunkBytesPerCall", bytes, 0, Integer.MAX_VALUE);
            return this;
        }

        /** Adds a receiver of the connections' events; none by default. Several are called in this order. */
        public Builder listener(RpcRdmaListener listener) {
            listeners = listeners.and(listener);
            return this;
        }

        /** Changes limits that are the same for all programs, for tests. */
        Builder fixed(Consumer<FixedLimits> change) {
            change.accept(fixed);
            return this;
        }

        /** Replaces the log, for tests. */
        Builder log(PeerLog log) {
            this.log = log;
            return this;
        }

        private Builder copy() {
            try {
                Builder copy = (Builder) clone();
                copy.version2 = version2.copy();
                copy.fixed = fixed.copy();
                return copy;
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        /**
         * Returns the configuration.
         *
         * @throws IllegalArgumentException if settings contradict each other; the message names both and their values
         */
        public RpcRdmaConfig build() {
            return new RpcRdmaConfig(this);
        }
    }
}
