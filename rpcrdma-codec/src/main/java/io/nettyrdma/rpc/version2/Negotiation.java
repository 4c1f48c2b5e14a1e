// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.engine.AllowedVersions;

/**
 * How one side of a connection finds the version to speak (draft -01, section 4.2.3). The two sides differ only in
 * this: everything else of a connection depends on the direction of a message.
 *
 * <p>Threading: confined to one thread.
 */
interface Negotiation {

    /** Takes notice of the connection, which a requester has made. */
    default NegotiationStep connect(boolean remembered, int xid) {
        return NegotiationStep.of(NegotiationStep.Handling.NONE);
    }

    /** Takes a message other than {@code ERR_VERS}. */
    NegotiationStep receive(MessageKind kind, int xid);

    /**
     * Takes an {@code ERR_VERS}.
     *
     * @param peerLowest  what the peer says to be the lowest version it speaks, 0 to 2<sup>32</sup>-1
     * @param peerHighest likewise the highest
     */
    default NegotiationStep receiveErrVers(int xid, long peerLowest, long peerHighest) {
        return receive(MessageKind.ERR_VERS, xid);
    }

    /** A set of the peer's properties was applied. */
    default void onPropertiesApplied() {}

    /** Both sides have sent their last properties: held calls can be delivered, and calls sent. V2-116 */
    void onPropertiesExchanged();

    /** The timer has expired that was set with the offer. */
    NegotiationStep expire();

    /**
     * The connection has ended.
     *
     * @param byPeer whether it was not this side that has ended it
     */
    NegotiationStep disconnect(boolean byPeer);

    /** Returns whether the first message of the peer decides the version, and none has come. */
    default boolean isUndecided() {
        return false;
    }

    boolean isExchangingProperties();

    /** Returns whether version 2 is spoken, and calls may be sent and delivered. */
    boolean isOpen();

    boolean isVersion1();

    /** Returns the lowest version for {@code ERR_VERS}, which only a responder sends. */
    default int lowestSpoken() {
        return AllowedVersions.TWO;
    }

    /** Returns the highest version for {@code ERR_VERS}, likewise. */
    default int highestSpoken() {
        return AllowedVersions.TWO;
    }
}
