// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.util.internal.UnstableApi;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.session.LinkFactory;
import io.nettyrdma.rpc.version2.Version2Links;
import io.nettyrdma.rpc.version2.Version2Settings;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings of version 2 of the protocol, a part of {@link RpcRdmaConfig}; {@link RpcRdmaConfig.Builder#version2} gives
 * access to them. They have no effect unless {@link RpcRdmaConfig.Builder#versions} allows version 2. Not thread-safe.
 *
 * <p><b>Negotiation.</b> A client offers version 2 in its first message. If the server refuses it, as Linux does, the
 * client continues with version 1 on the same connection; if the server does not answer, on the next one. It remembers
 * such servers for ten minutes. A server uses the version of the first message it gets.
 *
 * <p><b>Refused calls.</b> If the peer suggests limits, such as fewer chunks or more room for the reply, the call is
 * repeated once with each. If it may already have run, it is repeated only if the binding or {@link
 * io.nettyrdma.rpc.message.RpcRdmaCall#repeatable} says that this is safe.
 */
@UnstableApi
public final class RpcRdmaVersion2Settings implements Cloneable {

    private static final int MAX_CONTINUED_BYTES = 1 << 24;

    private @Nullable HostAuthentication hostAuthentication;
    private int maxContinuedBytes = 1 << 20;
    private ReverseLevel reverseLevel = ReverseLevel.CONT;

    RpcRdmaVersion2Settings() {}

    /**
     * Hook that authenticates the peers of all connections, by tokens in properties: none by default. Needs {@link
     * RpcRdmaConfig.Builder#versions versions(2, 2)}. A rejected peer receives no call and no reply. The connection
     * ends with a {@link io.nettyrdma.rpc.error.ConnectionFailedException}, also if the handshake takes longer than
     * 5 s. Without a hook this side ignores tokens of the peer. Event loops call the hook, so it must not block.
     */
    public RpcRdmaVersion2Settings hostAuthentication(@Nullable HostAuthentication hook) {
        hostAuthentication = hook;
        return this;
    }

    /**
     * Longest RPC message that this side accepts, or sends, in several Sends: 0 (none) to 2<sup>24</sup> bytes,
     * default 1 MiB. A connection holds up to this much of an incomplete message.
     */
    public RpcRdmaVersion2Settings maxContinuedBytes(int bytes) {
        maxContinuedBytes = Ranges.require("maxContinuedBytes", bytes, 0, MAX_CONTINUED_BYTES);
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
    public RpcRdmaVersion2Settings reverseLevel(ReverseLevel level) {
        if (level == ReverseLevel.NONE) {
            throw new IllegalArgumentException("reverseLevel NONE: leave reverseCredits at 0 instead");
        }
        reverseLevel = Objects.requireNonNull(level, "reverseLevel");
        return this;
    }

    boolean hasHostAuthentication() {
        return hostAuthentication != null;
    }

    /** Returns what makes the links of a configuration that allows version 2. */
    LinkFactory links(RpcRdmaConfig.Builder config) {
        return new Version2Links(new Version2Settings(
                config.fixed.negotiationTimeout.toNanos(),
                config.creditsRequested,
                config.creditsGranted,
                Math.min(config.fixed.continuationBytes, maxContinuedBytes),
                maxContinuedBytes,
                config.peerTimeoutNanos,
                config.fixed.maxWaitingBytes,
                config.fixed.maxSegmentsPerHeader,
                config.reverseCredits == 0 ? ReverseLevel.NONE : reverseLevel,
                hostAuthentication));
    }

    RpcRdmaVersion2Settings copy() {
        try {
            return (RpcRdmaVersion2Settings) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public String toString() {
        return "[hostAuthentication=" + hostAuthentication
                + ", maxContinuedBytes=" + maxContinuedBytes
                + ", reverseLevel=" + reverseLevel
                + ']';
    }
}
