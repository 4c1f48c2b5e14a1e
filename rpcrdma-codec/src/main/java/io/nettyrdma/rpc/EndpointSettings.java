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
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.engine.CallPlanner;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.requester.RequesterLimits;
import io.nettyrdma.rpc.responder.ResponderLimits;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.session.Version1Link;
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
    static EndpointSettings of(RpcRdmaConfig config, AllowedVersions versions, PeerLog log) {
        requireLengths(config);
        if (versions.hasTwo()) {
            requireVersion2(config);
        }
        requireAuthentication(config, versions);
        SessionSettings session = session(config, versions, log);
        requireReceives(config, "creditsGranted", config.creditsGranted(), session, RpcRdmaRole.RESPONDER);
        requireReceives(config, "creditsRequested", config.creditsRequested(), session, RpcRdmaRole.REQUESTER);
        return new EndpointSettings(session, requester(config), responder(config));
    }

    private static void requireLengths(RpcRdmaConfig config) {
        if (config.maxReadChunkBytes() > config.maxCallBytes()) {
            throw new IllegalArgumentException("maxReadChunkBytes " + config.maxReadChunkBytes()
                    + " exceeds maxCallBytes " + config.maxCallBytes()
                    + ", which bounds a call with its chunks; lower the first or raise the second");
        }
        int inlineReplyBytes = config.inlineReceiveBytes() - MessageLink.MIN_HEADER_BYTES;
        if (config.assumedReplyBytes() > Math.max(config.maxChunkBytesPerCall(), inlineReplyBytes)) {
            throw new IllegalArgumentException("assumedReplyBytes " + config.assumedReplyBytes()
                    + " fits neither maxChunkBytesPerCall " + config.maxChunkBytesPerCall()
                    + " nor inlineReceiveBytes " + config.inlineReceiveBytes()
                    + " with the header: every call would fail");
        }
    }

    private static void requireVersion2(RpcRdmaConfig config) {
        RpcRdmaVersion2Config version2 = config.version2();
        if (version2.maxContinuedBytes() > version2.maxWaitingBytesPerLoop()) {
            throw new IllegalArgumentException("maxContinuedBytes " + version2.maxContinuedBytes()
                    + " exceeds maxWaitingBytesPerLoop " + version2.maxWaitingBytesPerLoop()
                    + ": no message of that length could be taken");
        }
        if (config.inlineReceiveBytes() < MIN_VERSION_2_BYTES) {
            throw new IllegalArgumentException("inlineReceiveBytes " + config.inlineReceiveBytes()
                    + " is less than the " + MIN_VERSION_2_BYTES + " bytes that peers of version 2 assume");
        }
    }

    private static void requireAuthentication(RpcRdmaConfig config, AllowedVersions versions) {
        if (config.version2().hostAuthentication() != null && versions.hasOne()) {
            throw new IllegalArgumentException("hostAuthentication is set and versions are " + versions.lowest()
                    + " to " + versions.highest() + ", but version 1 authenticates no host and any host on the "
                    + "path could make a connection fall back to it; use versions(2, 2)");
        }
    }

    private static void requireReceives(
            RpcRdmaConfig config, String what, int credits, SessionSettings session, RpcRdmaRole role) {
        int receives = credits + config.reverseCredits() + session.receivesBeyondCredits(role);
        if (receives > MAX_RECEIVES) {
            throw new IllegalArgumentException(what + " " + credits + ", receiveReserve " + config.receiveReserve()
                    + " and reverseCredits " + config.reverseCredits() + " are " + receives
                    + " receives, a channel takes " + MAX_RECEIVES);
        }
    }

    private static SessionSettings session(RpcRdmaConfig config, AllowedVersions versions, PeerLog log) {
        return new SessionSettings(
                config.inlineSendBytes(),
                config.inlineReceiveBytes(),
                config.hasPrivateData(),
                config.receiveReserve(),
                config.reverseCredits(),
                versions,
                versions.hasTwo() ? config.version2().links(config) : Version1Link::new,
                new DecodeLimits(
                        config.maxReadChunks(),
                        config.maxWriteChunks(),
                        config.maxSegmentsPerChunk(),
                        config.maxReadChunkBytes()),
                config.listener(),
                log);
    }

    private static RequesterLimits requester(RpcRdmaConfig config) {
        return new RequesterLimits(
                config.callTimeout().toNanos(),
                config.maxCallsWaiting(),
                new CallPlanner.Limits(
                        config.readChunksPerCall(), config.writeChunksPerCall(), config.maxChunkBytesPerCall()),
                config.assumedReplyBytes(),
                config.bindings());
    }

    private static ResponderLimits responder(RpcRdmaConfig config) {
        return new ResponderLimits(
                config.maxCallBytes(),
                config.maxPullingBytes(),
                config.maxPullingReads(),
                config.maxPushingBytes(),
                config.maxPushingWrites(),
                config.version2().maxWaitingBytesPerLoop(),
                config.chunkReadTimeout().toNanos(),
                config.bindings());
    }
}
