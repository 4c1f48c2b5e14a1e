// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.engine.CallPlanner;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.requester.RequesterLimits;
import io.nettyrdma.rpc.responder.ResponderLimits;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.version1.Version1Link;
import io.nettyrdma.rpc.wire.header.DecodeLimits;

/**
 * A configuration in the parts that handlers need, checked for contradictions.
 *
 * <p>Threading: immutable.
 */
record EndpointSettings(SessionSettings session, RequesterLimits requester, ResponderLimits responder) {

    /** Receive size that peers of version 2 assume at first (C52). */
    private static final int MIN_VERSION_2_BYTES = 4096;

    /** Most receives of an RDMA channel, for both directions. */
    private static final int MAX_RECEIVES = 16_384;

    /** @throws IllegalArgumentException if settings contradict each other; the message names both and their values */
    static EndpointSettings of(RpcRdmaConfig.Builder config) {
        AllowedVersions versions = config.versions;
        if (versions.hasTwo() && config.inlineReceiveBytes < MIN_VERSION_2_BYTES) {
            throw new IllegalArgumentException("inlineReceiveBytes " + config.inlineReceiveBytes + " is less than the "
                    + MIN_VERSION_2_BYTES + " bytes that peers of version 2 assume");
        }
        if (config.version2.hasHostAuthentication() && versions.hasOne()) {
            throw new IllegalArgumentException("hostAuthentication is set and versions are " + versions.lowest()
                    + " to " + versions.highest() + ", but version 1 authenticates no host and any host on the "
                    + "path could make a connection fall back to it; use versions(2, 2)");
        }
        SessionSettings session = session(config);
        requireReceives("creditsGranted", config.creditsGranted, session, RpcRdmaRole.RESPONDER);
        requireReceives("creditsRequested", config.creditsRequested, session, RpcRdmaRole.REQUESTER);
        return new EndpointSettings(session, requester(config), responder(config));
    }

    private static void requireReceives(String what, int credits, SessionSettings session, RpcRdmaRole role) {
        int others = session.receivesBeyondCredits(role);
        int receives = credits + session.reverseCredits() + others;
        if (receives > MAX_RECEIVES) {
            throw new IllegalArgumentException(what + " " + credits + ", reverseCredits " + session.reverseCredits()
                    + " and " + others + " others are " + receives + " receives, a channel takes " + MAX_RECEIVES);
        }
    }

    private static SessionSettings session(RpcRdmaConfig.Builder config) {
        FixedLimits fixed = config.fixed;
        return new SessionSettings(
                config.inlineSendBytes,
                config.inlineReceiveBytes,
                config.hasPrivateData,
                fixed.receiveReserve,
                config.reverseCredits,
                config.versions,
                config.versions.hasTwo() ? config.version2.links(config) : Version1Link::new,
                new DecodeLimits(
                        fixed.maxReadChunks, fixed.maxWriteChunks, fixed.maxSegmentsPerChunk, config.maxCallBytes),
                config.listeners,
                config.log);
    }

    private static RequesterLimits requester(RpcRdmaConfig.Builder config) {
        return new RequesterLimits(
                config.creditsRequested,
                config.callTimeoutNanos,
                config.maxCallsWaiting,
                new CallPlanner.Limits(
                        config.fixed.readChunksPerCall, config.fixed.writeChunksPerCall, config.maxChunkBytesPerCall),
                config.bindings);
    }

    private static ResponderLimits responder(RpcRdmaConfig.Builder config) {
        return new ResponderLimits(
                config.creditsGranted,
                config.maxCallBytes,
                config.maxPullingBytes,
                config.fixed.maxPullingReads,
                config.maxPushingBytes,
                config.fixed.maxPushingWrites,
                config.fixed.maxWaitingBytes,
                config.peerTimeoutNanos,
                config.bindings);
    }
}
