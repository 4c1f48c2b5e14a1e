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

import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.session.LinkFactory;
import io.nettyrdma.rpc.version2.Version2Links;
import io.nettyrdma.rpc.version2.Version2Settings;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits and times of version 2 of the protocol, a part of {@link RpcRdmaConfig}. They have no effect unless {@link
 * RpcRdmaConfig.Builder#versions} allows version 2.
 *
 * <p>Threading: immutable.
 */
public final class RpcRdmaVersion2Config {

    private final Builder values;

    private RpcRdmaVersion2Config(Builder builder) {
        values = builder.copy();
    }

    /** Longest time to negotiate the version and exchange properties. */
    public Duration negotiationTimeout() {
        return Duration.ofNanos(values.negotiationTimeoutNanos);
    }

    /** The hook that authenticates peers, {@code null} if none. */
    public @Nullable HostAuthentication hostAuthentication() {
        return values.hostAuthentication;
    }

    /** Longest RPC message that is sent in several Sends even if chunks are available, in bytes. */
    public int continuationBytes() {
        return values.continuationBytes;
    }

    /** Longest RPC message that is accepted, or sent, in several Sends, in bytes. */
    public int maxContinuedBytes() {
        return values.maxContinuedBytes;
    }

    /** Longest time that a peer may keep this side waiting. */
    public Duration continuationTimeout() {
        return Duration.ofNanos(values.continuationTimeoutNanos);
    }

    /** Bytes that the connections of an event loop together hold for slow peers. */
    public long maxWaitingBytesPerLoop() {
        return values.maxWaitingBytesPerLoop;
    }

    /** Segments of all chunks of one received header. */
    public int maxSegmentsPerHeader() {
        return values.maxSegmentsPerHeader;
    }

    /** Features that a client accepts in calls of its server. */
    public ReverseLevel reverseLevel() {
        return values.reverseLevel;
    }

    /** Returns what makes the links of a configuration that allows version 2. */
    LinkFactory links(RpcRdmaConfig config) {
        return new Version2Links(new Version2Settings(
                values.negotiationTimeoutNanos,
                config.creditsRequested(),
                config.creditsGranted(),
                Math.min(values.continuationBytes, values.maxContinuedBytes),
                values.maxContinuedBytes,
                values.continuationTimeoutNanos,
                values.maxWaitingBytesPerLoop,
                values.maxSegmentsPerHeader,
                config.reverseCredits() == 0 ? ReverseLevel.NONE : values.reverseLevel,
                values.hostAuthentication));
    }

    @Override
    public String toString() {
        return "RpcRdmaVersion2Config[negotiationTimeout=" + negotiationTimeout()
                + ", hostAuthentication=" + hostAuthentication()
                + ", continuationBytes=" + continuationBytes()
                + ", maxContinuedBytes=" + maxContinuedBytes()
                + ", continuationTimeout=" + continuationTimeout()
                + ", maxWaitingBytesPerLoop=" + maxWaitingBytesPerLoop()
                + ", maxSegmentsPerHeader=" + maxSegmentsPerHeader()
                + ", reverseLevel=" + reverseLevel()
                + ']';
    }

    /** Collects settings; {@link RpcRdmaConfig.Builder#version2} gives access to it. Not thread-safe. */
    public static final class Builder implements Cloneable {

        private static final int MAX_CONTINUED_BYTES = 1 << 24;

        private long negotiationTimeoutNanos = Duration.ofSeconds(5).toNanos();
        private @Nullable HostAuthentication hostAuthentication;
        private int continuationBytes = 16 << 10;
        private int maxContinuedBytes = 1 << 20;
        private long continuationTimeoutNanos = Duration.ofSeconds(60).toNanos();
        private long maxWaitingBytesPerLoop = 64 << 20;
        private int maxSegmentsPerHeader = 64;
        private ReverseLevel reverseLevel = ReverseLevel.CONT;

        Builder() {}

        /**
         * Longest time to negotiate the version and exchange properties: more than zero, default 5 s. After it the
         * connection ends with a {@link io.nettyrdma.rpc.error.VersionNegotiationException}. If the peer did not answer
         * its offer, a requester begins with version 1 the next time.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder negotiationTimeout(Duration timeout) {
            negotiationTimeoutNanos = Ranges.requirePositive("negotiationTimeout", timeout);
            return this;
        }

        /**
         * Hook that authenticates the peers of all connections, by tokens in properties: none by default. Needs {@link
         * RpcRdmaConfig.Builder#versions versions(2, 2)}. A rejected peer receives no call and no reply. The connection
         * ends with a {@link io.nettyrdma.rpc.error.HostAuthenticationException}, or with a {@link
         * io.nettyrdma.rpc.error.VersionNegotiationException} if the handshake takes longer than {@link
         * #negotiationTimeout}. Without a hook this side ignores tokens of the peer. Event loops call the hook, so it
         * must not block.
         */
        public Builder hostAuthentication(@Nullable HostAuthentication hook) {
            hostAuthentication = hook;
            return this;
        }

        /**
         * Longest RPC message that this side sends in several Sends even if chunks are available: 0 to 2<sup>24</sup>
         * bytes, default 16 KiB. {@link #maxContinuedBytes} applies if it is smaller.
         */
        public Builder continuationBytes(int bytes) {
            continuationBytes = Ranges.require("continuationBytes", bytes, 0, MAX_CONTINUED_BYTES);
            return this;
        }

        /**
         * Longest RPC message that this side accepts, or sends, in several Sends: 0 (none) to 2<sup>24</sup> bytes,
         * default 1 MiB. A connection holds up to this much of an incomplete message.
         */
        public Builder maxContinuedBytes(int bytes) {
            maxContinuedBytes = Ranges.require("maxContinuedBytes", bytes, 0, MAX_CONTINUED_BYTES);
            return this;
        }

        /**
         * Longest time that a peer may keep this side waiting: more than zero, default 60 s. After it the
         * handler fires {@link io.nettyrdma.rpc.error.SlowPeerException} and closes the connection. The limit applies
         * to the time from the first to the last fragment of a message, and to the time in which no reply or error that
         * waits for credits is sent completely. A peer on a slow link must move one message of {@link
         * #maxContinuedBytes} in that time, 18 KB/s with the defaults.
         *
         * @throws IllegalArgumentException if not positive or beyond 292 years
         */
        public Builder continuationTimeout(Duration timeout) {
            continuationTimeoutNanos = Ranges.requirePositive("continuationTimeout", timeout);
            return this;
        }

        /**
         * Bytes that the connections of an event loop together hold for slow peers: 1 to 2<sup>40</sup>,
         * default 64 MiB, at least {@link #maxContinuedBytes}. Incomplete messages count, and so do replies in
         * fragments, from when the application receives their calls until their last Send has completed, with the
         * longest length that their binding allows. Beyond, the handler closes the connection whose peer has moved
         * nothing for the longest time, at least a second, with {@link io.nettyrdma.rpc.error.SlowPeerException}.
         * Without such a connection, calls with such replies wait; fragments, and replies whose length no binding
         * bounds, are answered with {@code RDMA2_ERR_SYSTEM}, and calls of this side fail if their replies have no
         * room. Whole calls in fragments that wait count for the same limit, apart from these. Answers of one Send that
         * wait for credits do not count: the credits of each connection bound them.
         */
        public Builder maxWaitingBytesPerLoop(long bytes) {
            maxWaitingBytesPerLoop = Ranges.require("maxWaitingBytesPerLoop", bytes, 1, 1L << 40);
            return this;
        }

        /**
         * Segments of all chunks of one received header: 1 to 16384, default 64. A transport property
         * carries this number to the peer. Beyond, {@code RDMA2_ERR_SEGMENTS}.
         */
        public Builder maxSegmentsPerHeader(int segments) {
            maxSegmentsPerHeader = Ranges.require("maxSegmentsPerHeader", segments, 1, 16384);
            return this;
        }

        /**
         * Features that a client accepts in calls of its server: default {@link ReverseLevel#CONT}. With
         * {@link ReverseLevel#GENL} calls may have chunks: the client then reads and writes memory of its server,
         * within the limits of a responder. The client announces the level only if a {@link
         * RpcRdmaReverseResponderHandler} is in the pipeline when the channel becomes active.
         *
         * @throws IllegalArgumentException if it is {@link ReverseLevel#NONE}; set {@link
         *         RpcRdmaConfig.Builder#reverseCredits} to 0 instead
         */
        public Builder reverseLevel(ReverseLevel level) {
            if (level == ReverseLevel.NONE) {
                throw new IllegalArgumentException("reverseLevel NONE: leave reverseCredits at 0 instead");
            }
            reverseLevel = Objects.requireNonNull(level, "reverseLevel");
            return this;
        }

        Builder copy() {
            try {
                return (Builder) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        RpcRdmaVersion2Config build() {
            return new RpcRdmaVersion2Config(this);
        }
    }
}
