// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.version2.NegotiationStep.Ending;
import io.nettyrdma.rpc.version2.NegotiationStep.Handling;

/**
 * How the side that was connected to finds the version to speak: that of the first message of a version it may speak,
 * unless the message is silently discarded (draft -01, section 4.2.3.3; C27). Nothing is sent before.
 *
 * <p>Threading: confined to one thread.
 */
final class ResponderNegotiation implements Negotiation {

    /** Where the connection stands. */
    enum State {
        /** Nothing has come that decides. */
        UNDECIDED,
        /** The peer speaks version 2, and properties are exchanged. */
        PROPERTIES,
        OPEN,
        VERSION_1,
        CLOSED
    }

    private final AllowedVersions versions;
    private State state = State.UNDECIDED;
    private boolean peerHasProperties;

    ResponderNegotiation(AllowedVersions versions) {
        this.versions = versions;
    }

    /** Where the connection stands. */
    State state() {
        return state;
    }

    @Override
    public boolean isUndecided() {
        return state == State.UNDECIDED;
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

    @Override
    public int lowestSpoken() {
        return switch (state) {
            case UNDECIDED, CLOSED -> versions.lowest(); // V2-137
            case VERSION_1 -> AllowedVersions.ONE; // V2-030
            case PROPERTIES, OPEN -> AllowedVersions.TWO; // V2-030
        };
    }

    @Override
    public int highestSpoken() {
        return switch (state) {
            case UNDECIDED, CLOSED -> versions.highest(); // V2-137
            case VERSION_1 -> AllowedVersions.ONE; // V2-030
            case PROPERTIES, OPEN -> AllowedVersions.TWO; // V2-030
        };
    }

    /**
     * Takes a message; for an {@code ERR_VERS} the range is that of the state behind it. A call that opens the
     * connection is one of a peer without properties: {@link PropertyExchange#onPresumed}.
     */
    @Override
    public NegotiationStep receive(MessageKind kind, int xid) {
        return switch (state) {
            case UNDECIDED -> receiveFirst(kind);
            case PROPERTIES -> receiveInProperties(kind);
            case OPEN -> NegotiationStep.of(handlingOpen(kind));
            case VERSION_1 -> NegotiationStep.of(handlingInVersion1(kind));
            case CLOSED -> NegotiationStep.of(Handling.DISCARD);
        };
    }

    private NegotiationStep receiveFirst(MessageKind kind) {
        if (!versions.hasTwo() && isNeverAnswered(kind)) {
            return NegotiationStep.of(Handling.DISCARD); // C18
        }
        if (kind == MessageKind.OTHER_VERSION
                || kind == MessageKind.VERSION_1 && !versions.hasOne()
                || kind != MessageKind.VERSION_1 && !versions.hasTwo()) {
            return NegotiationStep.of(Handling.ERR_VERS); // V2-025, V2-137
        }
        return switch (kind) {
            case VERSION_1 -> {
                state = State.VERSION_1;
                yield new NegotiationStep(Handling.DELIVER, AllowedVersions.ONE, false, false, null); // V2-029
            }
            case PROPERTIES -> offer(State.PROPERTIES, Handling.PROPERTIES);
            case CALL -> offer(State.OPEN, Handling.DELIVER); // C55
            case REFRESH -> offer(State.PROPERTIES, Handling.CREDITS);
            case REJECTED -> offer(State.PROPERTIES, Handling.ERROR);
            case REPLY, ERROR, ERR_VERS, ERR_CHUNK, OTHER_VERSION, DISCARDED ->
                NegotiationStep.of(Handling.DISCARD); // C27
        };
    }

    private NegotiationStep offer(State next, Handling handling) {
        state = next;
        return new NegotiationStep(handling, AllowedVersions.TWO, true, false, null); // V2-024, V2-029
    }

    private NegotiationStep receiveInProperties(MessageKind kind) {
        return switch (kind) {
            case PROPERTIES -> NegotiationStep.of(Handling.PROPERTIES);
            case CALL -> {
                if (peerHasProperties) {
                    yield NegotiationStep.of(Handling.HOLD); // C9
                }
                state = State.OPEN; // C20, C55
                yield NegotiationStep.of(Handling.DELIVER);
            }
            case REFRESH -> NegotiationStep.of(Handling.CREDITS);
            case ERROR, ERR_VERS -> close(Ending.PROPERTIES_REFUSED); // C53
            case REPLY, ERR_CHUNK, DISCARDED -> NegotiationStep.of(Handling.DISCARD);
            case REJECTED -> NegotiationStep.of(Handling.ERROR);
            case VERSION_1, OTHER_VERSION -> NegotiationStep.of(Handling.ERR_VERS); // V2-030
        };
    }

    private static Handling handlingInVersion1(MessageKind kind) {
        if (kind == MessageKind.VERSION_1) {
            return Handling.DELIVER; // V2-029
        }
        return isNeverAnswered(kind) ? Handling.DISCARD : Handling.ERR_VERS; // C18, V2-030
    }

    /** Whether neither version has an answer to such messages. */
    private static boolean isNeverAnswered(MessageKind kind) {
        return switch (kind) {
            case REPLY, ERROR, ERR_VERS, ERR_CHUNK, REFRESH, DISCARDED -> true;
            case VERSION_1, PROPERTIES, CALL, REJECTED, OTHER_VERSION -> false;
        };
    }

    private static Handling handlingOpen(MessageKind kind) {
        return switch (kind) {
            case PROPERTIES -> Handling.PROPERTIES;
            case CALL, REPLY, ERROR, ERR_VERS -> Handling.DELIVER;
            case REFRESH -> Handling.CREDITS;
            case REJECTED -> Handling.ERROR;
            case VERSION_1, OTHER_VERSION -> Handling.ERR_VERS; // V2-030
            case ERR_CHUNK, DISCARDED -> Handling.DISCARD;
        };
    }

    /** The peer's calls wait for its last properties from now on. */
    @Override
    public void onPropertiesApplied() {
        peerHasProperties = true;
    }

    @Override
    public void onPropertiesExchanged() {
        if (state == State.PROPERTIES) {
            state = State.OPEN;
        }
    }

    /** A connection on which nothing has come may wait for ever. */
    @Override
    public NegotiationStep expire() {
        return state == State.PROPERTIES
                ? close(Ending.PROPERTIES_TOO_SLOW) // C54
                : NegotiationStep.of(Handling.NONE);
    }

    private NegotiationStep close(Ending ending) {
        state = State.CLOSED;
        return new NegotiationStep(Handling.NONE, 0, false, false, ending);
    }

    @Override
    public NegotiationStep disconnect(boolean byPeer) {
        state = State.CLOSED;
        return NegotiationStep.of(Handling.NONE);
    }
}
