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
import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.engine.CallPlanner;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.requester.RequesterLimits;
import io.nettyrdma.rpc.responder.ResponderLimits;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.session.VersionMemory;
import io.nettyrdma.rpc.session.VersionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.DecodeLimits;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits and sizes of an RPC-over-RDMA endpoint; one instance serves any number of handlers of either role. A peer that
 * exceeds a limit gets a protocol error, an application that does gets a named exception.
 *
 * <p><b>Memory per connection.</b> Whatever its peer does, a connection holds at most the sum of the following.
 * Registered memory comes in powers of two, of 256 octets or more. A length that the peer only claims costs nothing.
 *
 * <ul>
 *   <li>Posted receives: (credits + {@code receiveReserve} + {@code reverseCredits}) x {@code inlineReceiveBytes}, 288
 *       KiB for a responder and 544 KiB for a requester with the defaults.
 *   <li>A responder's calls in progress: {@code creditsGranted + receiveReserve}, and up to 31 more which come in the
 *       same read. Each holds the message it came in, {@code inlineReceiveBytes}, about 100 octets of heap for each
 *       segment in it, and up to {@code maxCallBytes} from the time its chunks are pulled until the application
 *       releases it.
 *   <li>A responder's transfers: {@code maxPullingBytes}, or {@code maxCallBytes} if that is more, of chunks on their
 *       way, for {@code chunkReadTimeout} if the peer does nothing;
 *       about 300 octets of heap for each of {@code maxPullingReads} and {@code maxPushingWrites}.
 *   <li>A responder's replies: {@code maxPushingBytes}, or what one call offers room for if that is more, of those that
 *       go to chunks, from when their calls are handed up until the peer has taken them; up to {@code inlineSendBytes}
 *       of each reply besides. While these exceed the high {@link io.netty.channel.WriteBufferWaterMark} of the
 *       channel, 64 KiB unless set, nothing is read.
 *   <li>A client's replies to reverse calls: up to 128 of {@code inlineSendBytes}, if its server takes none of them.
 *   <li>Where version 2 is spoken: {@code maxContinuedBytes} of a message of the peer that is not whole yet, and 64 KiB
 *       of its properties; a responder's replies that are sent in fragments, which count for {@code maxPushingBytes};
 *       other answers that wait for credits, of which there are as many as calls, and 64, of up to
 *       {@code inlineSendBytes}. All of it for {@code continuationTimeout} if the peer does nothing. What is in
 *       fragments has another bound for all connections of an event loop, {@code maxWaitingBytesPerLoop}.
 *   <li>A requester's calls: {@code maxCallsWaiting} messages, {@code maxChunkBytesPerCall} for each of
 *       {@code creditsRequested}, and the replies that handlers keep. Replies to no call hold nothing.
 * </ul>
 *
 * <p>Threading: immutable.
 */
public final class RpcRdmaConfig {

    private static final int MIN_INLINE_BYTES = 1024;
    private static final int MAX_INLINE_BYTES = 256 * 1024;

    /** What peers of version 2 assume before they know better (C52). */
    private static final int MIN_VERSION_2_BYTES = 4096;

    private static final int MAX_CONTINUED_BYTES = 1 << 24;

    /** Receives of a requester for fragments, where version 2 is allowed. */
    private static final int FRAGMENT_RECEIVES = 16;

    /** Of an RDMA channel, in all directions. */
    private static final int MAX_RECEIVES = 16_384;

    private static final PeerLog LOG = PeerLog.of(RpcRdmaObserver.class);

    private static final RpcRdmaConfig DEFAULT = builder().build();

    private final SessionSettings session;
    private final RequesterLimits requester;
    private final ResponderLimits responder;
    private final int creditsGranted;
    private final int creditsRequested;

    private RpcRdmaConfig(Builder builder) {
        session = builder.session();
        requester = builder.requester();
        responder = builder.responder();
        creditsGranted = builder.creditsGranted;
        creditsRequested = builder.creditsRequested;
    }

    /** All defaults. */
    public static RpcRdmaConfig defaults() {
        return DEFAULT;
    }

    /** A builder preset with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Longest Send of this side, in octets. */
    public int inlineSendBytes() {
        return session.inlineSendBytes();
    }

    /** Length of each posted receive, in octets. */
    public int inlineReceiveBytes() {
        return session.inlineReceiveBytes();
    }

    /** Credits a responder grants. */
    public int creditsGranted() {
        return creditsGranted;
    }

    /** Credits a requester asks for. */
    public int creditsRequested() {
        return creditsRequested;
    }

    /** Receives posted beyond the credits. */
    public int receiveReserve() {
        return session.receiveReserve();
    }

    /** Calls in the reverse direction that may be outstanding, 0 if it is off. */
    public int reverseCredits() {
        return session.reverseCredits();
    }

    /** Default time between the submission of a call and its failure, in nanoseconds. */
    public long callTimeoutNanos() {
        return requester.callTimeoutNanos();
    }

    /** Calls a requester keeps while they wait for credits. */
    public int maxCallsWaiting() {
        return requester.maxCallsWaiting();
    }

    /** What is accepted in one received header. */
    public DecodeLimits decodeLimits() {
        return session.decodeLimits();
    }

    /** Longest call with read chunks a responder takes, in octets. */
    public int maxCallBytes() {
        return responder.maxCallBytes();
    }

    /** Octets a responder pulls at a time per connection. */
    public long maxPullingBytes() {
        return responder.maxPullingBytes();
    }

    /** RDMA Reads a responder has under way at a time per connection. */
    public int maxPullingReads() {
        return responder.maxPullingReads();
    }

    /** RDMA Writes a responder has under way at a time per connection. */
    public int maxPushingWrites() {
        return responder.maxPushingWrites();
    }

    /** Octets of replies in chunks that a responder has under way at a time per connection. */
    public long maxPushingBytes() {
        return responder.maxPushingBytes();
    }

    /** How long none of a responder's RDMA Reads under way may complete, in nanoseconds. */
    public long chunkReadTimeoutNanos() {
        return responder.chunkReadTimeoutNanos();
    }

    /** How long a peer of version 2 may keep this side waiting, in nanoseconds. */
    public long continuationTimeoutNanos() {
        return session.versions().continuationTimeoutNanos();
    }

    /** Octets that all connections of an event loop hold for peers of version 2 that keep them waiting. */
    public long maxWaitingBytesPerLoop() {
        return session.versions().maxWaitingBytesPerLoop();
    }

    /** What may be in chunks and how long replies get, by program and version. */
    public UpperLayerBindings bindings() {
        return requester.bindings();
    }

    /** Octets a reply is assumed to take, besides its reducible results, if its binding does not know. */
    public int assumedReplyBytes() {
        return requester.assumedReplyBytes();
    }

    /** Who is told what happens, if anyone. */
    public @Nullable RpcRdmaListener listener() {
        return session.listener();
    }

    /** What holds for either role. */
    SessionSettings session() {
        return session;
    }

    /** What holds for the calls of a requester. */
    RequesterLimits requester() {
        return requester;
    }

    /** What holds for the calls that a responder executes. */
    ResponderLimits responder() {
        return responder;
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {

        private static final long AS_LONG_AS_A_CALL = -1;

        private int inlineSendBytes = 4096;
        private int inlineReceiveBytes = 4096;
        private boolean announced = true;
        private int creditsGranted = 64;
        private int creditsRequested = 128;
        private int receiveReserve = 8;
        private int reverseCredits;
        private @Nullable HostAuthentication hostAuthentication;
        private ReverseLevel reverseLevel = ReverseLevel.CONT;
        private AllowedVersions versions = new AllowedVersions(AllowedVersions.ONE, AllowedVersions.ONE);
        private long negotiationTimeoutNanos = Duration.ofSeconds(5).toNanos();
        private int continuationBytes = 16 << 10;
        private int maxContinuedBytes = 1 << 20;
        private long continuationTimeoutNanos = Duration.ofSeconds(60).toNanos();
        private long maxWaitingBytesPerLoop = 64 << 20;
        private long callTimeoutNanos = Duration.ofSeconds(60).toNanos();
        private int maxCallsWaiting = 1024;
        private int maxReadChunks = 16;
        private int maxWriteChunks = 16;
        private int maxSegmentsPerChunk = 64;
        private int maxSegmentsPerHeader = 64;
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
         * Longest Send of this side, header included: 1024 to 262144 octets, default 4096. Advertised rounded down to a
         * multiple of 1024 (RFC 8797, section 4.2); what is used is the smaller of this and what the peer receives.
         */
        public Builder inlineSendBytes(int bytes) {
            inlineSendBytes = Ranges.require("inlineSendBytes", bytes, MIN_INLINE_BYTES, MAX_INLINE_BYTES);
            announced = true;
            return this;
        }

        /**
         * Length of each posted receive: 1024 to 262144 octets, default 4096. Advertised rounded down to a multiple of
         * 1024. Costs this many octets of registered memory per credit.
         */
        public Builder inlineReceiveBytes(int bytes) {
            inlineReceiveBytes = // V1-026
                    Ranges.require("inlineReceiveBytes", bytes, MIN_INLINE_BYTES, MAX_INLINE_BYTES);
            announced = true;
            return this;
        }

        /**
         * Sends no private data, as a side that does not know RFC 8797, and sets both {@link #inlineSendBytes} and
         * {@link #inlineReceiveBytes} to the 1024 octets that the peer has to assume then. There is no remote
         * invalidation either. For peers or connection managers that do not take private data. A later change of the
         * sizes makes this void.
         */
        public Builder withoutPrivateData() {
            inlineSendBytes(CmPrivateData.DEFAULTS.sendBytes());
            inlineReceiveBytes(CmPrivateData.DEFAULTS.receiveBytes());
            announced = false;
            return this;
        }

        /**
         * Calls a requester may have outstanding at this responder: 1 to 16384, default 64. Costs one posted receive
         * each.
         */
        public Builder creditsGranted(int credits) {
            creditsGranted = Ranges.require("creditsGranted", credits, 1, 16384); // V1-013
            return this;
        }

        /**
         * Calls this requester wants to have outstanding: 1 to 16384, default 128. Costs one posted receive each. What
         * is used is the smaller of this and the responder's grant.
         */
        public Builder creditsRequested(int credits) {
            creditsRequested = Ranges.require("creditsRequested", credits, 1, 16384);
            return this;
        }

        /**
         * Receives posted beyond the credits: 0 to 1024, default 8. They carry messages that need no credit, and calls
         * of a requester that miscounts.
         */
        public Builder receiveReserve(int receives) {
            receiveReserve = Ranges.require("receiveReserve", receives, 0, 1024);
            return this;
        }

        /**
         * Calls that a server may have outstanding at its client, over the connection the client has made (RFC 8167): 0
         * to 16384, default 0, which switches the reverse direction off. A client grants as many, a server asks for as
         * many; what is used is the smaller. Costs one posted receive each, on both sides. {@link
         * RpcRdmaReverseResponderHandler} and {@link RpcRdmaReverseRequesterHandler} need at least 1. Linux' NFS server
         * asks for 2 and has 2 calls outstanding whatever it was granted, also before the first reply: a client of it
         * grants at least 2.
         */
        public Builder reverseCredits(int credits) {
            reverseCredits = Ranges.require("reverseCredits", credits, 0, 16384);
            return this;
        }

        /**
         * What a client takes of calls in the reverse direction where version 2 is spoken, and tells its server:
         * default {@link ReverseLevel#CONT}. With {@link ReverseLevel#GENL} a call may have chunks, so that the client
         * reads and writes memory of its server, within the limits that a responder has. It is told only if there is a
         * {@link RpcRdmaReverseResponderHandler} in the pipeline when the channel becomes active.
         *
         * @throws IllegalArgumentException if it is {@link ReverseLevel#NONE}, for which {@link #reverseCredits} is 0
         */
        public Builder reverseLevel(ReverseLevel level) {
            if (level == ReverseLevel.NONE) {
                throw new IllegalArgumentException("reverseLevel NONE: leave reverseCredits at 0 instead");
            }
            reverseLevel = Objects.requireNonNull(level, "reverseLevel");
            return this;
        }

        /**
         * Versions of the protocol that may be spoken, default version 1 only. Version 2 is the -01 wire format, that
         * of draft-ietf-nfsv4-rpcrdma-version-two-01; later drafts have another one of the same number. Where both are
         * allowed, a requester offers version 2 and falls back to version 1, and a responder takes the version of the
         * first message. Version 2 costs a requester 17 receives more.
         *
         * @param lowest  1 or 2
         * @param highest {@code lowest} to 2
         * @throws IllegalArgumentException if they are out of their range
         */
        public Builder versions(int lowest, int highest) {
            versions = new AllowedVersions(lowest, highest);
            return this;
        }

        /**
         * How long a connection on which version 2 may be spoken takes at most to find its version and to exchange
         * properties: more than zero, default 5 s. Then it ends with a {@link
         * io.nettyrdma.rpc.error.VersionNegotiationException}; a requester whose offer was not answered begins with
         * version 1 the next time.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder negotiationTimeout(Duration timeout) {
            negotiationTimeoutNanos = requirePositive(timeout);
            return this;
        }

        /**
         * Authenticates the peers of all connections, by tokens in properties of version 2: none by default. Needs
         * {@link #versions versions(2, 2)}. A peer that is not accepted gets no call and no reply. The connection ends
         * with a {@link io.nettyrdma.rpc.error.HostAuthenticationException}, or if the handshake takes longer than
         * {@link #negotiationTimeout} with a {@link io.nettyrdma.rpc.error.VersionNegotiationException}. Without a hook
         * tokens of the peer are ignored. The hook is called on event loops and must not block.
         */
        public Builder hostAuthentication(@Nullable HostAuthentication hook) {
            hostAuthentication = hook;
            return this;
        }

        /**
         * Longest RPC message that is sent in several Sends although there may be chunks for it, where version 2 is
         * spoken: 0 to 2<sup>24</sup> octets, default 16 KiB; at most {@link #maxContinuedBytes} counts.
         */
        public Builder continuationBytes(int bytes) {
            continuationBytes = Ranges.require("continuationBytes", bytes, 0, MAX_CONTINUED_BYTES);
            return this;
        }

        /**
         * Longest RPC message that is taken, or sent, in several Sends, where version 2 is spoken: 0, which takes none,
         * to 2<sup>24</sup> octets, default 1 MiB. A connection holds up to this much of a message that is not whole.
         */
        public Builder maxContinuedBytes(int bytes) {
            maxContinuedBytes = Ranges.require("maxContinuedBytes", bytes, 0, MAX_CONTINUED_BYTES);
            return this;
        }

        /**
         * How long a peer of version 2 may keep this side waiting: more than zero, default 60 s. Beyond, {@link
         * io.nettyrdma.rpc.error.SlowPeerException} is fired and the connection is closed. It bounds two times: from
         * the first fragment of a message to its last one, and how long none of the replies and errors that wait for
         * credits may be sent to its end. A peer on a slow link has to move one message of {@link #maxContinuedBytes}
         * in that time, 18 KB/s with the defaults.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder continuationTimeout(Duration timeout) {
            continuationTimeoutNanos = requirePositive(timeout);
            return this;
        }

        /**
         * Octets that all connections of an event loop hold together for peers of version 2 that keep them waiting: 1
         * to 2<sup>40</sup>, default 64 MiB, at least {@link #maxContinuedBytes}. Counted are calls of which fragments
         * are missing, and replies in fragments from when their calls are handed up until their last Send has
         * completed, as long as their binding says they can be. Beyond, the connection whose peer has moved nothing for
         * longest, but for a second at least, is closed with {@link io.nettyrdma.rpc.error.SlowPeerException}; if there
         * is none, calls with such replies wait, and fragments, and replies whose length no binding has told, are
         * answered with {@code RDMA2_ERR_SYSTEM}.
         */
        public Builder maxWaitingBytesPerLoop(long bytes) {
            maxWaitingBytesPerLoop = Ranges.require("maxWaitingBytesPerLoop", bytes, 1, 1L << 40);
            return this;
        }

        /**
         * Time from the submission of a call, including its wait for a credit, to its failure: more than zero, default
         * 60 s. A call that timed out after it was sent keeps its credit until its reply arrives; when all credits are
         * kept that way, the connection is closed.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder callTimeout(Duration timeout) {
            callTimeoutNanos = requirePositive(timeout);
            return this;
        }

        /**
         * Calls accepted while all credits are taken: 0 to 2<sup>20</sup>, default 1024. Each keeps its message; one
         * more fails with {@link io.nettyrdma.rpc.error.CallQueueFullException}.
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

        /**
         * Segments of all chunks of one received header, where version 2 is spoken: 1 to 16384, default 64. The peer is
         * told this number as a transport property; beyond, {@code RDMA2_ERR_SEGMENTS}.
         */
        public Builder maxSegmentsPerHeader(int segments) {
            maxSegmentsPerHeader = Ranges.require("maxSegmentsPerHeader", segments, 1, 16384);
            return this;
        }

        /**
         * Octets of one received read chunk: 0 to {@link #maxCallBytes}, which is the default. Beyond, {@code
         * ERR_CHUNK}.
         */
        public Builder maxReadChunkBytes(long bytes) {
            maxReadChunkBytes = Ranges.require("maxReadChunkBytes", bytes, 0, 1L << 30);
            return this;
        }

        /**
         * Longest call with read chunks, put together: 64 to 2<sup>30</sup> octets, default 4 MiB. Beyond,
         * {@code ERR_CHUNK} before anything is pulled. Costs this much memory for each call in progress, of which there
         * are up to {@code creditsGranted + receiveReserve}, from the time it is pulled until the application releases
         * it.
         */
        public Builder maxCallBytes(int bytes) {
            maxCallBytes = Ranges.require("maxCallBytes", bytes, 64, 1 << 30);
            return this;
        }

        /**
         * Octets a responder pulls at a time per connection: 1 to 2<sup>40</sup>, default 16 MiB. Calls beyond wait for
         * those before them; a call that is longer by itself is pulled alone. Costs this much memory that the
         * application does not have yet.
         */
        public Builder maxPullingBytes(long bytes) {
            maxPullingBytes = Ranges.require("maxPullingBytes", bytes, 1, 1L << 40);
            return this;
        }

        /**
         * RDMA Reads a responder has under way at a time per connection: 1 to 16384, default 256. Further segments wait
         * for those before them, so nothing is refused. Costs about 300 octets of heap each. More than are in flight
         * ({@link io.nettyrdma.channel.RdmaChannelOption#RDMA_READS_IN_FLIGHT}) buys the time that a refill takes,
         * which happens when half of them have completed.
         */
        public Builder maxPullingReads(int reads) {
            maxPullingReads = Ranges.require("maxPullingReads", reads, 1, 16384);
            return this;
        }

        /**
         * RDMA Writes a responder has under way at a time per connection: 1 to 16384, default 256. Those for further
         * segments wait for those before them, and so do further replies with chunks and further calls; nothing is
         * refused. Costs about 300 octets of heap each. A segment that gets its octets from several components of a
         * composite buffer costs up to 16 Writes at once.
         */
        public Builder maxPushingWrites(int writes) {
            maxPushingWrites = Ranges.require("maxPushingWrites", writes, 1, 16384);
            return this;
        }

        /**
         * Octets of replies in chunks, and in fragments where version 2 is spoken, that a responder has under way at a
         * time per connection: 1 to 2<sup>40</sup>, default 16 MiB. A call counts with the octets its chunks offer room
         * for, or its binding says that its reply can have in fragments, from the time it is handed up, its reply with
         * those that are written to them or sent, until its last Send has completed. Calls beyond wait for those before
         * them, and nothing more is read; one that offers more by itself is executed alone. So much a requester that
         * takes no replies makes a responder hold.
         */
        public Builder maxPushingBytes(long bytes) {
            maxPushingBytes = Ranges.require("maxPushingBytes", bytes, 1, 1L << 40);
            return this;
        }

        /**
         * How long none of the RDMA Reads that a responder has under way may complete: more than zero, default 60 s.
         * Beyond, {@link io.nettyrdma.rpc.error.ChunkReadTimeoutException} is fired and the connection is closed. For
         * so long a requester that serves none makes a responder hold {@link #maxPullingBytes}.
         *
         * <p>Whole Reads count, and not their octets: a requester that sends an octet now and then would make a
         * responder hold its memory for ever. So this bounds the rate from below. One Read brings one segment, at most
         * {@link #maxReadChunkBytes}, and Reads are served in their order: with the defaults a requester has to bring 4
         * MiB in 60 s, 70 KB/s, for all its calls together. Where links are slower or segments longer, set more.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder chunkReadTimeout(Duration timeout) {
            chunkReadTimeoutNanos = requirePositive(timeout);
            return this;
        }

        /**
         * What may be in chunks and how long replies get, by program and version; default
         * {@link UpperLayerBindings#nfs()}. Both sides of a connection have to use the same ones. Calls of other
         * programs are never reduced.
         */
        public Builder bindings(UpperLayerBindings bindings) {
            this.bindings = Objects.requireNonNull(bindings, "bindings");
            return this;
        }

        /**
         * Arguments that a requester sends as read chunks if a call does not fit inline: 0 to 16, default 1. A call
         * that does not fit with that many is sent as one long message. More than one is risky: Linux servers of
         * versions 6.1 (6.1.192) and 6.12 (6.12.95) were seen to leave a call with two read chunks unanswered.
         */
        public Builder readChunksPerCall(int chunks) {
            readChunksPerCall = Ranges.require("readChunksPerCall", chunks, 0, 16);
            return this;
        }

        /**
         * Results for which a requester provides write chunks if a reply may not fit inline: 0 to 16, default 1, the
         * most that NFS/RDMA servers have to accept (RFC 8267, section 5.4). Without, such replies take a reply chunk.
         */
        public Builder writeChunksPerCall(int chunks) {
            writeChunksPerCall = Ranges.require("writeChunksPerCall", chunks, 0, 16);
            return this;
        }

        /**
         * Octets of memory that one call of a requester may expose to its responder, arguments and results together: 0
         * to 2<sup>31</sup>-1, default 16 MiB; 0 sends everything inline. A connection exposes at most this much for
         * each of its credits. Beyond, {@link io.nettyrdma.rpc.error.ChunkLimitException}.
         */
        public Builder maxChunkBytesPerCall(int bytes) {
            maxChunkBytesPerCall = Ranges.require("maxChunkBytesPerCall", bytes, 0, Integer.MAX_VALUE);
            return this;
        }

        /**
         * Octets that a reply is assumed to take at most, besides its reducible results, if neither its call nor the
         * upper-layer binding tells: 0 to 2<sup>30</sup>, default 0, which fits inline. A longer reply is answered with
         * {@code ERR_CHUNK}. At most {@link #maxChunkBytesPerCall}, or what fits inline. A value beyond the inline
         * threshold costs the registration of that much memory per call.
         */
        public Builder assumedReplyBytes(int bytes) {
            assumedReplyBytes = Ranges.require("assumedReplyBytes", bytes, 0, 1 << 30);
            return this;
        }

        /** Told what happens on the connections; none by default. See {@link RpcRdmaListener#of} for several. */
        public Builder listener(@Nullable RpcRdmaListener listener) {
            this.listener = listener;
            return this;
        }

        /** A seam for tests. */
        Builder log(PeerLog log) {
            this.log = log;
            return this;
        }

        /**
         * The configuration.
         *
         * @throws IllegalArgumentException if settings contradict each other; the message names both and their values
         */
        public RpcRdmaConfig build() {
            if (longestReadChunk() > maxCallBytes) {
                throw new IllegalArgumentException("maxReadChunkBytes " + maxReadChunkBytes + " exceeds maxCallBytes "
                        + maxCallBytes + ", and a chunk is part of its call");
            }
            int inlineReplyBytes = inlineReceiveBytes - MessageLink.MIN_HEADER_BYTES;
            if (assumedReplyBytes > Math.max(maxChunkBytesPerCall, inlineReplyBytes)) {
                throw new IllegalArgumentException("assumedReplyBytes " + assumedReplyBytes
                        + " fits neither maxChunkBytesPerCall " + maxChunkBytesPerCall + " nor inlineReceiveBytes "
                        + inlineReceiveBytes + " with the header: every call would fail");
            }
            requireVersion2();
            SessionSettings session = session();
            requireReceives("creditsGranted", creditsGranted, session.receivesBeyondCredits(RpcRdmaRole.RESPONDER));
            requireReceives("creditsRequested", creditsRequested, session.receivesBeyondCredits(RpcRdmaRole.REQUESTER));
            return new RpcRdmaConfig(this);
        }

        private void requireVersion2() {
            if (versions.hasTwo() && maxContinuedBytes > maxWaitingBytesPerLoop) {
                throw new IllegalArgumentException("maxContinuedBytes " + maxContinuedBytes
                        + " exceeds maxWaitingBytesPerLoop " + maxWaitingBytesPerLoop
                        + ": no message of that length could be taken");
            }
            if (versions.hasTwo() && inlineReceiveBytes < MIN_VERSION_2_BYTES) {
                throw new IllegalArgumentException("inlineReceiveBytes " + inlineReceiveBytes + " is less than the "
                        + MIN_VERSION_2_BYTES + " octets that peers of version 2 assume");
            }
            if (hostAuthentication != null && versions.hasOne()) {
                throw new IllegalArgumentException("hostAuthentication is set and versions are " + versions.lowest()
                        + " to " + versions.highest() + ", but version 1 authenticates no host and anybody on the path "
                        + "could have a connection fall back to it; use versions(2, 2)");
            }
        }

        private SessionSettings session() {
            return new SessionSettings(
                    inlineSendBytes,
                    inlineReceiveBytes,
                    announced,
                    receiveReserve,
                    reverseCredits,
                    new VersionSettings(
                            versions,
                            negotiationTimeoutNanos,
                            new VersionMemory(),
                            creditsRequested,
                            creditsGranted,
                            FRAGMENT_RECEIVES,
                            Math.min(continuationBytes, maxContinuedBytes),
                            maxContinuedBytes,
                            continuationTimeoutNanos,
                            maxWaitingBytesPerLoop,
                            maxSegmentsPerHeader,
                            reverseCredits == 0 ? ReverseLevel.NONE : reverseLevel,
                            hostAuthentication),
                    new DecodeLimits(maxReadChunks, maxWriteChunks, maxSegmentsPerChunk, longestReadChunk()),
                    listener,
                    log);
        }

        private RequesterLimits requester() {
            return new RequesterLimits(
                    callTimeoutNanos,
                    maxCallsWaiting,
                    new CallPlanner.Limits(readChunksPerCall, writeChunksPerCall, maxChunkBytesPerCall),
                    assumedReplyBytes,
                    bindings);
        }

        private ResponderLimits responder() {
            return new ResponderLimits(
                    maxCallBytes,
                    maxPullingBytes,
                    maxPullingReads,
                    maxPushingBytes,
                    maxPushingWrites,
                    maxWaitingBytesPerLoop,
                    chunkReadTimeoutNanos,
                    bindings);
        }

        private long longestReadChunk() {
            return maxReadChunkBytes == AS_LONG_AS_A_CALL ? maxCallBytes : maxReadChunkBytes;
        }

        private void requireReceives(String what, int credits, int beyond) {
            int receives = credits + reverseCredits + beyond;
            if (receives > MAX_RECEIVES) {
                throw new IllegalArgumentException(what + " " + credits + ", receiveReserve " + receiveReserve
                        + " and reverseCredits " + reverseCredits + " are " + receives + " receives, a channel takes "
                        + MAX_RECEIVES);
            }
        }
    }

    static long requirePositive(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        long nanos;
        try {
            nanos = timeout.toNanos();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("timeout too long: " + timeout, e);
        }
        if (nanos <= 0) {
            throw new IllegalArgumentException("timeout: " + timeout + " (expected: > 0)");
        }
        return nanos;
    }
}
