// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.version2.NegotiationStep.Ending;
import io.nettyrdma.rpc.version2.NegotiationStep.Handling;

/**
 * How the side that has made the connection finds the version to speak (draft -01, section 4.2.3): it offers version 2
 * by its properties, and falls back to version 1 if the peer says so, or says nothing (C57). A peer that said nothing
 * may be confused by what it was sent, so that version 1 is for the next connection then.
 *
 * <p>Threading: confined to one thread.
 */
final class RequesterNegotiation implements Negotiation {

    /** Where the connection stands. */
    enum State {
        /** Not connected yet. */
        IDLE,
        /** Version 2 is offered, and not answered. */
        OFFERED,
        /** The peer speaks version 2, and properties are exchanged. */
        PROPERTIES,
        OPEN,
        VERSION_1,
        CLOSED
    }

    private final AllowedVersions versions;
    private State state = State.IDLE;
    private int offerXid;

    RequesterNegotiation(AllowedVersions versions) {
        this.versions = versions;
    }

    /** Where the connection stands. */
    State state() {
        return state;
    }

    @Override
    public boolean isExchangingProperties() {
        return state == State.PROPERTIES;
    }

    @Override
    public boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public boolean isVersion1() {
        return state == State.VERSION_1;
    }

    /**
     * The connection is there.
     *
     * @param remembered whether the peer is known to speak version 1 only
     * @param xid        of all messages of own properties, if this side makes an offer; no call has it
     */
    @Override
    public NegotiationStep connect(boolean remembered, int xid) {
        if (state != State.IDLE) {
            return NegotiationStep.of(Handling.NONE);
        }
        if (!versions.hasTwo() || remembered && versions.hasOne()) { // V2-027
            state = State.VERSION_1;
            return new NegotiationStep(Handling.NONE, AllowedVersions.ONE, false, false, null);
        }
        offerXid = xid;
        state = State.OFFERED;
        return new NegotiationStep(Handling.NONE, 0, true, false, null); // V2-022
    }

    @Override
    public NegotiationStep receive(MessageKind kind, int xid) {
        return switch (state) {
            case IDLE, CLOSED -> NegotiationStep.of(Handling.DISCARD);
            case OFFERED -> receiveOffered(kind, xid);
            case PROPERTIES -> receiveInProperties(kind);
            case OPEN ->
                kind == MessageKind.ERROR && xid == offerXid
                        ? refuse() // sent before the end of the peer's properties, and overtaken by it
                        : NegotiationStep.of(handlingOpen(kind));
            case VERSION_1 ->
                NegotiationStep.of(
                        kind == MessageKind.VERSION_1 || kind == MessageKind.ERR_CHUNK
                                ? Handling.DELIVER
                                : Handling.DISCARD);
        };
    }

    private NegotiationStep receiveOffered(MessageKind kind, int xid) {
        return switch (kind) {
            case PROPERTIES -> {
                state = State.PROPERTIES;
                yield new NegotiationStep(Handling.PROPERTIES, AllowedVersions.TWO, false, false, null);
            }
            case ERR_CHUNK ->
                xid == offerXid
                        ? fallBack(AllowedVersions.ONE, AllowedVersions.ONE)
                        : NegotiationStep.of(Handling.DISCARD);
            case ERROR -> refuse(); // whatever its XID: nothing else was sent (C35, C53)
            case REJECTED -> {
                state = State.PROPERTIES;
                yield new NegotiationStep(Handling.ERROR, AllowedVersions.TWO, false, false, null);
            }
            case REFRESH -> NegotiationStep.of(Handling.CREDITS);
            case CALL -> NegotiationStep.of(Handling.HOLD);
            case REPLY, ERR_VERS, VERSION_1, OTHER_VERSION, DISCARDED -> NegotiationStep.of(Handling.DISCARD);
        };
    }

    private NegotiationStep receiveInProperties(MessageKind kind) {
        return switch (kind) {
            case PROPERTIES -> NegotiationStep.of(Handling.PROPERTIES);
            case ERROR -> refuse();
            case REJECTED -> NegotiationStep.of(Handling.ERROR);
            case REFRESH -> NegotiationStep.of(Handling.CREDITS);
            case CALL -> NegotiationStep.of(Handling.HOLD);
            case REPLY, ERR_VERS, ERR_CHUNK, VERSION_1, OTHER_VERSION, DISCARDED ->
                NegotiationStep.of(Handling.DISCARD);
        };
    }

    private static Handling handlingOpen(MessageKind kind) {
        return switch (kind) {
            case PROPERTIES -> Handling.PROPERTIES;
            case CALL, REPLY, ERROR -> Handling.DELIVER;
            case REJECTED -> Handling.ERROR;
            case REFRESH -> Handling.CREDITS;
            case ERR_VERS, ERR_CHUNK, VERSION_1, OTHER_VERSION, DISCARDED -> Handling.DISCARD; // V2-030
        };
    }

    /** In version 1, where it is an answer like any other, it is delivered. */
    @Override
    public NegotiationStep receiveErrVers(int xid, long peerLowest, long peerHighest) {
        return switch (state) {
            case OFFERED -> xid == offerXid ? fallBack(peerLowest, peerHighest) : NegotiationStep.of(Handling.DISCARD);
            case PROPERTIES, OPEN -> close(Handling.DELIVER, false, Ending.VERSION_REFUSED);
            case VERSION_1 -> NegotiationStep.of(Handling.DELIVER);
            case IDLE, CLOSED -> NegotiationStep.of(Handling.DISCARD);
        };
    }

    /** The version that was refused is not offered again, even if the peer claims to speak it. */
    private NegotiationStep fallBack(long peerLowest, long peerHighest) {
        boolean common =
                versions.hasOne() && peerLowest <= AllowedVersions.ONE && peerHighest >= AllowedVersions.ONE; // V2-138
        if (!common) {
            return close(Handling.CREDITS, false, Ending.NO_COMMON_VERSION);
        }
        state = State.VERSION_1;
        return new NegotiationStep(Handling.CREDITS, AllowedVersions.ONE, false, true, null); // V2-026, V2-027
    }

    private NegotiationStep refuse() {
        return close(Handling.CREDITS, versions.hasOne(), Ending.PROPERTIES_REFUSED); // C53
    }

    private NegotiationStep close(Handling handling, boolean remembers, Ending ending) {
        state = State.CLOSED;
        return new NegotiationStep(handling, 0, false, remembers, ending);
    }

    @Override
    public void onPropertiesExchanged() {
        if (state == State.PROPERTIES) {
            state = State.OPEN;
        }
    }

    @Override
    public NegotiationStep expire() {
        return switch (state) {
            case OFFERED -> close(Handling.NONE, versions.hasOne(), Ending.NO_ANSWER); // V2-027, C28
            case PROPERTIES -> close(Handling.NONE, false, Ending.PROPERTIES_TOO_SLOW); // C54
            case IDLE, OPEN, VERSION_1, CLOSED -> NegotiationStep.of(Handling.NONE);
        };
    }

    @Override
    public NegotiationStep disconnect(boolean byPeer) {
        boolean remembers = byPeer && state == State.OFFERED && versions.hasOne(); // V2-027
        state = State.CLOSED;
        return new NegotiationStep(Handling.NONE, 0, false, remembers, null);
    }
}
