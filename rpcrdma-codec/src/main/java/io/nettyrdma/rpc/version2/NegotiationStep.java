// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The reaction to an event while, and after, the version of a connection is negotiated (draft -01, section 4.2.3).
 *
 * @param handling  what becomes of the message, {@link Handling#NONE} if the event was none
 * @param version   the version of the connection if the event decides it, otherwise 0
 * @param offers    whether to send own properties, from the first message on, and to start the timer
 * @param remembers whether later connections assume that the peer speaks version 1 only (C57)
 * @param ending    why to close the connection, {@code null} to keep it
 */
record NegotiationStep(Handling handling, int version, boolean offers, boolean remembers, @Nullable Ending ending) {

    /** The handling of a message. Credits in those of version 2 count in any case (C43). */
    enum Handling {
        NONE,
        /** It belongs to calls and replies, or to the version that is spoken. */
        DELIVER,
        /** A message of RPC that came too early: keep it until the connection is open (C9, C54). */
        HOLD,
        /** It is for {@link PropertyExchange}, also when properties are over. */
        PROPERTIES,
        CREDITS,
        /** It is answered by {@code ERR_VERS} with the range that this side speaks now. */
        ERR_VERS,
        /** It is answered by the error that it was rejected with. */
        ERROR,
        DISCARD
    }

    /** Why a connection ends. */
    enum Ending {
        /** No version is spoken by both. */
        NO_COMMON_VERSION,
        /** The first message was not answered in time. */
        NO_ANSWER,
        /** The peer has refused properties (C53). */
        PROPERTIES_REFUSED,
        /** Properties took too long (C54). */
        PROPERTIES_TOO_SLOW,
        /** The version was decided, and a call is refused for it all the same. */
        VERSION_REFUSED
    }

    /** The steps of most messages, so that these cost no object. */
    private static final NegotiationStep[] PLAIN = Arrays.stream(Handling.values())
            .map(handling -> new NegotiationStep(handling, 0, false, false, null))
            .toArray(NegotiationStep[]::new);

    static NegotiationStep of(Handling handling) {
        return PLAIN[handling.ordinal()];
    }
}
