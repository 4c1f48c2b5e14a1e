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
package io.nettyrdma.rpc;

import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.requester.RequesterLimits;
import io.nettyrdma.rpc.responder.ResponderLimits;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.CmPrivateData;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits and sizes of an RPC-over-RDMA endpoint; one instance serves any number of handlers of either role. A peer that
 * exceeds a limit receives a protocol error, an application a named exception.
 *
 * <p><b>Memory per connection.</b> A connection holds at most the sum of the following, whatever its peer does.
 * Registered memory comes in powers of two, of 256 bytes or more. A length that the peer only claims costs nothing.
 *
 * <ul>
 *   <li>Posted receives: (credits + {@code receiveReserve} + {@code reverseCredits}) x {@code inlineReceiveBytes}, 288
 *       KiB for a responder and 544 KiB for a requester with the defaults.
 *   <li>A responder's calls in progress: {@code creditsGranted + receiveReserve}, and up to 31 more from the same read.
 *       Each holds its received message, {@code inlineReceiveBytes}, about 100 bytes of heap per segment in it, and up
 *       to {@code maxCallBytes} from the time its chunks are pulled until the application releases it. In version 2 a
 *       call in fragments holds up to {@code maxContinuedBytes} from when the application receives it; those that wait
 *       before hold {@code maxPushingBytes} together, or one call if that is more.
 *   <li>A responder's transfers: {@code maxPullingBytes}, or {@code maxCallBytes} if that is more, of chunks in
 *       transfer, for {@code chunkReadTimeout} if the peer does nothing; about 300 bytes of heap for each of {@code
 *       maxPullingReads} and {@code maxPushingWrites}.
 *   <li>A responder's replies: {@code maxPushingBytes}, or the room that one call offers if that is more, of replies in
 *       chunks, from when the application receives their calls until the peer has taken them; and up to {@code
 *       inlineSendBytes} of each reply. While these exceed the high {@link io.netty.channel.WriteBufferWaterMark} of
 *       the channel, 64 KiB unless set, this side stops reading.
 *   <li>A client's replies to reverse calls: up to 128 of {@code inlineSendBytes}, if its server takes none of them.
 *   <li>In version 2: {@code maxContinuedBytes} of an incomplete message of the peer, and 64 KiB of its properties; a
 *       responder's replies in fragments, which count for {@code maxPushingBytes}; other answers that wait for credits,
 *       as many as calls plus 64, of up to {@code inlineSendBytes}. All of it for {@code continuationTimeout} if the
 *       peer does nothing. Before properties are exchanged, for {@code negotiationTimeout}: up to 64 calls, {@code
 *       maxContinuedBytes} or 64 x {@code inlineReceiveBytes} together.
 *   <li>All connections of an event loop in version 2: {@code maxWaitingBytesPerLoop} of incomplete messages and
 *       replies in fragments, and as much again of whole calls that wait. Answers of one Send do not count.
 *   <li>A requester's calls: {@code maxCallsWaiting} messages, {@code maxChunkBytesPerCall} for each of {@code
 *       creditsRequested}, and the replies that handlers keep. Unmatched replies hold nothing.
 * </ul>
 *
 * <p>Threading: immutable.
 */
public final class RpcRdmaConfig {

    private static final int MIN_INLINE_BYTES = 1024;
    private static final int MAX_INLINE_BYTES = 256 * 1024;

    private static final PeerLog LOG = PeerLog.of(RpcRdmaObserver.class);

    private static final RpcRdmaConfig DEFAULT = builder().build();

    private final Builder values;
    private final RpcRdmaVersion2Config version2;
    private final EndpointSettings settings;

    private RpcRdmaConfig(Builder builder) {
        values = builder.copy();
        version2 = builder.version2.build();
        settings = EndpointSettings.of(this, builder.versions, builder.log);
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

    /** Longest Send of this side, in bytes. */
    public int inlineSendBytes() {
        return values.inlineSendBytes;
    }

    /** Length of each posted receive, in bytes. */
    public int inlineReceiveBytes() {
        return values.inlineReceiveBytes;
    }

    /** Whether this side sends private data (RFC 8797); false after {@link Builder#withoutPrivateData}. */
    public boolean hasPrivateData() {
        return values.hasPrivateData;
    }

    /** Credits a responder grants. */
    public int creditsGranted() {
        return values.creditsGranted;
    }

    /** Credits a requester asks for. */
    public int creditsRequested() {
        return values.creditsRequested;
    }

    /** Receives posted beyond the credits. */
    public int receiveReserve() {
        return values.receiveReserve;
    }

    /** Calls in the reverse direction that may be outstanding, 0 if off. */
    public int reverseCredits() {
        return values.reverseCredits;
    }

    /** Lowest version of the protocol that is allowed: 1 or 2. */
    public int lowestVersion() {
        return values.versions.lowest();
    }

    /** Highest version of the protocol that is allowed: 1 or 2. */
    public int highestVersion() {
        return values.versions.highest();
    }

    /** Limits and times of version 2. */
    public RpcRdmaVersion2Config version2() {
        return version2;
    }

    /** Default time between the submission of a call and its failure. */
    public Duration callTimeout() {
        return Duration.ofNanos(values.callTimeoutNanos);
    }

    /** Calls a requester keeps while they wait for credits. */
    public int maxCallsWaiting() {
        return values.maxCallsWaiting;
    }

    /** Read chunks in one received header. */
    public int maxReadChunks() {
        return values.maxReadChunks;
    }

    /** Write chunks in one received header. */
    public int maxWriteChunks() {
        return values.maxWriteChunks;
    }

    /** Segments of one received chunk in version 1. */
    public int maxSegmentsPerChunk() {
        return values.maxSegmentsPerChunk;
    }

    /** Bytes of one received read chunk. */
    public long maxReadChunkBytes() {
        return values.longestReadChunk();
    }

    /** Longest call with read chunks that a responder accepts, in bytes. */
    public int maxCallBytes() {
        return values.maxCallBytes;
    }

    /** Bytes that a responder pulls at a time per connection. */
    public long maxPullingBytes() {
        return values.maxPullingBytes;
    }

    /** RDMA Reads that a responder has in progress per connection. */
    public int maxPullingReads() {
        return values.maxPullingReads;
    }

    /** RDMA Writes that a responder has in progress per connection. */
    public int maxPushingWrites() {
        return values.maxPushingWrites;
    }

    /** Bytes of replies in chunks that a responder has in progress per connection. */
    public long maxPushingBytes() {
        return values.maxPushingBytes;
    }

    /** Longest time in which no RDMA Read of a responder completes. */
    public Duration chunkReadTimeout() {
        return Duration.ofNanos(values.chunkReadTimeoutNanos);
    }

    /** Items allowed in chunks and bounds of replies, by program and version. */
    public UpperLayerBindings bindings() {
        return values.bindings;
    }

    /** Arguments that a requester sends as read chunks if a call does not fit inline. */
    public int readChunksPerCall() {
        return values.readChunksPerCall;
    }

    /** Results for which a requester provides write chunks if a reply may not fit inline. */
    public int writeChunksPerCall() {
        return values.writeChunksPerCall;
    }

    /** Bytes of memory that one call of a requester may expose. */
    public int maxChunkBytesPerCall() {
        return values.maxChunkBytesPerCall;
    }

    /** Assumed bytes of a reply, without its reducible results, if its binding knows no bound. */
    public int assumedReplyBytes() {
        return values.assumedReplyBytes;
    }

    /** The listener for events, {@code null} if none. */
    public @Nullable RpcRdmaListener listener() {
        return values.listener;
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
        return "RpcRdmaConfig[inlineSendBytes=" + inlineSendBytes()
                + ", inlineReceiveBytes=" + inlineReceiveBytes()
                + ", hasPrivateData=" + hasPrivateData()
                + ", creditsGranted=" + creditsGranted()
                + ", creditsRequested=" + creditsRequested()
                + ", receiveReserve=" + receiveReserve()
                + ", reverseCredits=" + reverseCredits()
                + ", lowestVersion=" + lowestVersion()
                + ", highestVersion=" + highestVersion()
                + ", version2=" + version2()
                + ", callTimeout=" + callTimeout()
                + ", maxCallsWaiting=" + maxCallsWaiting()
                + ", maxReadChunks=" + maxReadChunks()
                + ", maxWriteChunks=" + maxWriteChunks()
                + ", maxSegmentsPerChunk=" + maxSegmentsPerChunk()
                + ", maxReadChunkBytes=" + maxReadChunkBytes()
                + ", maxCallBytes=" + maxCallBytes()
                + ", maxPullingBytes=" + maxPullingBytes()
                + ", maxPullingReads=" + maxPullingReads()
                + ", maxPushingWrites=" + maxPushingWrites()
                + ", maxPushingBytes=" + maxPushingBytes()
                + ", chunkReadTimeout=" + chunkReadTimeout()
                + ", bindings=" + bindings()
                + ", readChunksPerCall=" + readChunksPerCall()
                + ", writeChunksPerCall=" + writeChunksPerCall()
                + ", maxChunkBytesPerCall=" + maxChunkBytesPerCall()
                + ", assumedReplyBytes=" + assumedReplyBytes()
                + ", listener=" + listener()
                + ']';
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder implements Cloneable {

        private static final long AS_LONG_AS_A_CALL = -1;

        private int inlineSendBytes = 4096;
        private int inlineReceiveBytes = 4096;
        private boolean hasPrivateData = true;
        private int creditsGranted = 64;
        private int creditsRequested = 128;
        private int receiveReserve = 8;
        private int reverseCredits;
        private AllowedVersions versions = new AllowedVersions(AllowedVersions.ONE, AllowedVersions.ONE);
        private RpcRdmaVersion2Config.Builder version2 = new RpcRdmaVersion2Config.Builder();
        private long callTimeoutNanos = Duration.ofSeconds(60).toNanos();
        private int maxCallsWaiting = 1024;
        private int maxReadChunks = 16;
        private int maxWriteChunks = 16;
        private int maxSegmentsPerChunk = 64;
        private long maxReadChunkBytes = AS_LONG_AS_A_CALL;
        private int maxCallBytes = 4 << 20;
        private long maxPullingBytes = 16 << 20;
        private int maxPullingReads = 256;
        private int maxPushingWrites = 256;
        private long maxPushingBytes = 16 << 20;
        private long chunkReadTimeoutNanos = Duration.ofSeconds(60).toNanos();
        private UpperLayerBindings bindings = UpperLayerBindings.nfs();
        private int readChunksPerCall = 1;
        private int writeChunksPerCall = 1;
        private int maxChunkBytesPerCall = 16 << 20;
        private int assumedReplyBytes;
        private @Nullable RpcRdmaListener listener;
        private PeerLog log = LOG;

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
         * Receives posted beyond the credits: 0 to 1024, default 8. They take messages that need no credit, and calls
         * of a requester that miscounts.
         */
        public Builder receiveReserve(int receives) {
            receiveReserve = Ranges.require("receiveReserve", receives, 0, 1024);
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
         * Sets limits and times of version 2: {@code version2(v2 -> v2.maxContinuedBytes(0))}. Settings that it leaves
         * alone keep their values.
         *
         * @param settings is called at once, with a builder that is valid until it returns
         */
        public Builder version2(Consumer<RpcRdmaVersion2Config.Builder> settings) {
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
         * with {@link io.nettyrdma.rpc.error.CallQueueFullException}.
         */
        public Builder maxCallsWaiting(int calls) {
            maxCallsWaiting = Ranges.require("maxCallsWaiting", calls, 0, 1 << 20);
            return this;
        }

        /** Read chunks in one received header: 0 to 1024, default 16. Beyond, {@code ERR_CHUNK}. */
        public Builder maxReadChunks(int chunks) {
            maxReadChunks = Ranges.require("maxReadChunks", chunks, 0, 1024);
            return this;
        }

        /** Write chunks in one received header: 0 to 1024, default 16. Beyond, {@code ERR_CHUNK}. */
        public Builder maxWriteChunks(int chunks) {
            maxWriteChunks = Ranges.require("maxWriteChunks", chunks, 0, 1024);
            return this;
        }

        /** Segments of one received chunk in version 1: 1 to 16384, default 64. Beyond, {@code ERR_CHUNK}. */
        public Builder maxSegmentsPerChunk(int segments) {
            maxSegmentsPerChunk = Ranges.require("maxSegmentsPerChunk", segments, 1, 16384);
            return this;
        }

        /** Bytes of one received read chunk: 0 to {@link #maxCallBytes}, the default. Beyond, {@code ERR_CHUNK}. */
        public Builder maxReadChunkBytes(long bytes) {
            maxReadChunkBytes = Ranges.require("maxReadChunkBytes", bytes, 0, 1L << 30);
            return this;
        }

        /**
         * Longest whole call with read chunks: 64 to 2<sup>30</sup> bytes, default 4 MiB. Beyond, {@code ERR_CHUNK}
         * before anything is pulled. Costs this much memory for each of up to {@code creditsGranted + receiveReserve}
         * calls in progress, from the time it is pulled until the application releases it.
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
         * RDMA Reads that a responder has in progress per connection: 1 to 16384, default 256. Further segments wait
         * for earlier ones; nothing is refused. Each costs about 300 bytes of heap. A value above {@link
         * io.nettyrdma.channel.RdmaChannelOption#RDMA_READS_IN_FLIGHT} covers the time of a refill, which happens when
         * half of them have completed.
         */
        public Builder maxPullingReads(int reads) {
            maxPullingReads = Ranges.require("maxPullingReads", reads, 1, 16384);
            return this;
        }

        /**
         * RDMA Writes that a responder has in progress per connection: 1 to 16384, default 256. Beyond, further
         * segments, replies with chunks and calls wait; nothing is refused. Each costs about 300 bytes of heap. A
         * segment filled from several components of a composite buffer costs up to 16 Writes at once.
         */
        public Builder maxPushingWrites(int writes) {
            maxPushingWrites = Ranges.require("maxPushingWrites", writes, 1, 16384);
            return this;
        }

        /**
         * Bytes of replies in chunks, and in version 2 in fragments, that a responder has in progress per connection: 1
         * to 2<sup>40</sup>, default 16 MiB. From when the application receives a call, it counts with the room that
         * its chunks offer, or with the longest reply in fragments that its binding allows. Its reply counts with the
         * bytes written or sent, until its last Send has completed. Calls beyond wait for earlier ones, and this side
         * stops reading; a single call that offers more is executed alone. A reply in fragments whose length no binding
         * bounds is answered with {@code RDMA2_ERR_SYSTEM} if it exceeds this beside others. A requester that takes no
         * replies makes a responder hold this much.
         */
        public Builder maxPushingBytes(long bytes) {
            maxPushingBytes = Ranges.require("maxPushingBytes", bytes, 1, 1L << 40);
            return this;
        }

        /**
         * Longest time in which no RDMA Read of a responder completes: more than zero, default 60 s. After it the
         * handler fires {@link io.nettyrdma.rpc.error.ChunkReadTimeoutException} and closes the connection. A requester
         * that serves no Read makes a responder hold {@link #maxPullingBytes} for this time.
         *
         * <p>Only whole Reads count: otherwise a requester that sends a byte now and then could make a responder hold
         * its memory forever. This sets a lowest rate. One Read brings one segment, at most {@link #maxReadChunkBytes},
         * and Reads are served in order: with the defaults a requester must bring 4 MiB in 60 s, 70 KB/s, for all its
         * calls together. Set more for slower links or longer segments.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder chunkReadTimeout(Duration timeout) {
            chunkReadTimeoutNanos = Ranges.requirePositive("chunkReadTimeout", timeout);
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
         * Arguments that a requester sends as read chunks if a call does not fit inline: 0 to 16, default 1. A call
         * that needs more is sent as one long message. More than one is risky: Linux servers of versions 6.1 (6.1.192)
         * and 6.12 (6.12.95) left a call with two read chunks unanswered.
         */
        public Builder readChunksPerCall(int chunks) {
            readChunksPerCall = Ranges.require("readChunksPerCall", chunks, 0, 16);
            return this;
        }

        /**
         * Results for which a requester provides write chunks if a reply may not fit inline: 0 to 16, default 1, the
         * most that NFS/RDMA servers must accept (RFC 8267, section 5.4). With 0, such replies use a reply chunk, and
         * calls with {@link io.nettyrdma.rpc.message.RpcRdmaCall#replyInto} are refused.
         */
        public Builder writeChunksPerCall(int chunks) {
            writeChunksPerCall = Ranges.require("writeChunksPerCall", chunks, 0, 16);
            return this;
        }

        /**
         * Bytes of memory that one call of a requester may expose to its responder, arguments and results together: 0
         * to 2<sup>31</sup>-1, default 16 MiB; 0 sends everything inline. A connection exposes at most this much per
         * credit. Beyond, {@link io.nettyrdma.rpc.error.ChunkLimitException}.
         */
        public Builder maxChunkBytesPerCall(int bytes) {
            maxChunkBytesPerCall = Ranges.require("maxChunkBytesPerCall", bytes, 0, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Assumed longest length of a reply in bytes, without its reducible results, if neither its call nor the
         * upper-layer binding bounds it: 0 to 2<sup>30</sup>, default 0, which fits inline. The responder answers
         * {@code ERR_CHUNK} if the reply is longer. At most {@link #maxChunkBytesPerCall}, or the longest inline reply.
         * A value beyond the inline threshold costs the registration of that much memory per call.
         */
        public Builder assumedReplyBytes(int bytes) {
            assumedReplyBytes = Ranges.require("assumedReplyBytes", bytes, 0, 1 << 30);
            return this;
        }

        /** Receives the events of the connections; none by default. See {@link RpcRdmaListener#of} for several. */
        public Builder listener(@Nullable RpcRdmaListener listener) {
            this.listener = listener;
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
                return copy;
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        private long longestReadChunk() {
            return maxReadChunkBytes == AS_LONG_AS_A_CALL ? maxCallBytes : maxReadChunkBytes;
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
