// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.Listeners;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.header.DecodeLimits;

/**
 * The part of a configuration that concerns connections of both roles.
 *
 * @param inlineSendBytes    longest Send of this side
 * @param inlineReceiveBytes length of each posted receive
 * @param announced          whether the peer is told the two at all
 * @param receiveReserve     receives posted beyond the credits
 * @param reverseCredits     calls in the reverse direction that may be outstanding, 0 if it is off
 * @param versions           those that may be spoken
 * @param links              makes the link of each connection
 * @param decodeLimits       what is accepted in one received header
 * @param listeners          are told what happens
 * @param log                where limits that calls have hit are named: a line for each, as many as {@link PeerLog}
 *                           writes
 */
public record SessionSettings(
        int inlineSendBytes,
        int inlineReceiveBytes,
        boolean announced,
        int receiveReserve,
        int reverseCredits,
        AllowedVersions versions,
        LinkFactory links,
        DecodeLimits decodeLimits,
        Listeners listeners,
        PeerLog log) {

    /** Receives of a requester for fragments, if version 2 is allowed. */
    public static final int FRAGMENT_RECEIVES = 16;

    /** Tells listeners and log what happens to this side in a role. */
    public RpcRdmaObserver observer(RpcRdmaRole role) {
        return new RpcRdmaObserver(role, listeners, log);
    }

    /**
     * Receives that are posted beyond those for calls and replies. In version 2 one of them is for refreshes, and a
     * requester has some for fragments.
     */
    public int receivesBeyondCredits(RpcRdmaRole role) {
        if (!versions.hasTwo()) {
            return receiveReserve;
        }
        int fragments = role == RpcRdmaRole.REQUESTER ? FRAGMENT_RECEIVES : 1;
        return fragments + Math.max(1, receiveReserve); // V2-018
    }

    /**
     * Returns what this side tells its peer, or lets it assume.
     *
     * @param remoteInvalidation of a responder, whether its channel can send it; of a requester, whether it understands
     *                           it
     */
    public CmPrivateData privateData(boolean remoteInvalidation) {
        return announced
                ? new CmPrivateData(remoteInvalidation, inlineSendBytes, inlineReceiveBytes)
                : CmPrivateData.DEFAULTS;
    }
}
