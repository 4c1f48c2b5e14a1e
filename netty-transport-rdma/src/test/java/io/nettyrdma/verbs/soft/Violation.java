// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;

/**
 * A row of the error matrix: what the peer does on an established connection, and what has to come of it. Without
 * {@link #terminates} the provider has to end the connection in silence.
 */
final class Violation {

    /** What the peer does. */
    interface Action {
        void play(Stage stage) throws Exception;
    }

    final String name;
    final Action action;
    int receives = 2;
    int reads = Stage.DEPTH;
    TerminateError terminate;
    String headers = "";
    String reason;
    int received;
    int responses;
    int receiveStatus = VerbsConstants.WC_WR_FLUSH_ERR;
    int readStatus = VerbsConstants.WC_WR_FLUSH_ERR;
    int sendStatus = VerbsConstants.WC_WR_FLUSH_ERR;
    int ownStatus = VerbsConstants.WC_WR_FLUSH_ERR;
    int placed;
    int placedInSink;
    boolean reset;
    boolean afterRead;
    boolean together;

    Violation(String name, Action action) {
        this.name = name;
        this.action = action;
    }

    /** The Terminate sent, with the flags of the headers it carries: M length, D DDP header, R Read Request header. */
    Violation terminates(TerminateError error, String headersCarried, String saying) {
        terminate = error;
        headers = headersCarried;
        reason = saying;
        return this;
    }

    /** The connection ends without a Terminate of the provider, for this reason; {@code null} for an orderly end. */
    Violation ends(String saying) {
        reason = saying;
        return this;
    }

    /** Receives posted before. */
    Violation receives(int count) {
        receives = count;
        return this;
    }

    /** Inbound Reads agreed. */
    Violation reads(int depth) {
        reads = depth;
        return this;
    }

    /** Receives that complete with success. */
    Violation received(int count) {
        received = count;
        return this;
    }

    /** Read Responses of the provider before the end. */
    Violation responses(int count) {
        responses = count;
        return this;
    }

    /** Status of the first receive that does not complete with success; the others are flushed. */
    Violation receiveFails(int status) {
        receiveStatus = status;
        return this;
    }

    /** Status of the provider's RDMA Read. */
    Violation readEnds(int status) {
        afterRead = true;
        readStatus = status;
        return this;
    }

    /** Status of the provider's Send behind the Read. */
    Violation sendEnds(int status) {
        sendStatus = status;
        return this;
    }

    /** Status of the work request that the provider's application posts in the action. */
    Violation ownFails(int status) {
        ownStatus = status;
        return this;
    }

    /** Octets placed in the exposed region. */
    Violation places(int octets) {
        placed = octets;
        return this;
    }

    /** Octets placed in the sink of the provider's RDMA Read. */
    Violation placesInSink(int octets) {
        placedInSink = octets;
        return this;
    }

    /** Makes sense only after the peer has got the provider's Read Request. */
    Violation afterRead() {
        afterRead = true;
        return this;
    }

    /** Makes sense only if all octets arrive together. */
    Violation together() {
        together = true;
        return this;
    }

    /** The peer resets the connection itself, so there is nothing for it to receive. */
    Violation resetByPeer() {
        reset = true;
        return this;
    }

    @Override
    public String toString() {
        return name;
    }
}
