// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.NOT_NEGOTIATED;
import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.TOO_SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.version2.SessionPair.Side;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends of a connection, without handlers: what one sends is what the other receives, when the test says so. */
class SessionPairTest {

    private static final int SEEDS = 100;
    private static final int INLINE_BYTES = 1024;
    private static final int MAX_BYTES = 16 * INLINE_BYTES;
    private static final int REVERSE_CREDITS = 4;
    private static final long NEGOTIATION_NANOS = 3;
    private static final long PEER_NANOS = 10;

    private static SessionPair pair(int callCredits, int grantCredits) {
        return new SessionPair(
                new Version2Settings(
                        NEGOTIATION_NANOS,
                        callCredits,
                        grantCredits,
                        MAX_BYTES,
                        MAX_BYTES,
                        PEER_NANOS,
                        Integer.MAX_VALUE,
                        16,
                        ReverseLevel.CONT,
                        null),
                INLINE_BYTES,
                REVERSE_CREDITS);
    }

    /** Calls, replies and fragments of both directions share the queues and the credits of both. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 32})
    @Requirement({"V2-010", "V2-015", "V2-018"})
    void callsOfBothDirectionsEndInWhateverOrderTheyMeet(int grantCredits) {
        long first = System.nanoTime();
        int calls = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (SessionPair pair = pair(1 + random.nextInt(32), grantCredits)) {
                pair.open();
                List<Side> sides = List.of(pair.client, pair.server);
                for (int i = 0; i < 300; i++) {
                    Side side = sides.get(random.nextInt(2));
                    int bytes = 4 * random.nextInt(random.nextInt(4) == 0 ? MAX_BYTES / 8 : INLINE_BYTES / 8);
                    switch (random.nextInt(4)) {
                        case 0 -> calls += side.call(bytes) ? 1 : 0;
                        case 1 -> side.answer(bytes);
                        default -> side.receive(1 + random.nextInt(8));
                    }
                }
                while (sides.stream().anyMatch(side -> side.answer(0) | side.receive(Integer.MAX_VALUE))) {}
                for (Side side : sides) {
                    assertThat(side.unanswered).as("seed %d", seed).isEmpty();
                    assertThat(side.failure).isNull();
                    assertThat(side.wire.end).isNull();
                    pair.passTime();
                    assertThat(side.wire.end).as("no deadline is left").isNull();
                }
            }
        }
        assertThat(calls).as("seed %d", first).isGreaterThan(10 * SEEDS);
    }

    @Test
    void offerThatIsNotAnsweredEndsTheConnectionWhenItsTimeIsOver() {
        try (SessionPair pair = pair(4, 4)) {
            pair.client.link.onActive();

            pair.passTime();

            assertThat(pair.client.wire.nanos).isEqualTo(NEGOTIATION_NANOS);
            assertThat(pair.client.wire.end).hasFieldOrPropertyWithValue("reason", NOT_NEGOTIATED);
            assertThat(pair.server.wire.end).isNull();
        }
    }

    /** Further fragments give the peer no more time. */
    @Test
    void messageThatDoesNotBecomeWholeInTimeEndsTheConnection() {
        try (SessionPair pair = pair(4, 32)) {
            pair.open();
            pair.passTime(); // of the negotiation, which has ended
            pair.client.call(8 * INLINE_BYTES);
            pair.server.receive(1);
            pair.setTime(NEGOTIATION_NANOS + PEER_NANOS / 2);
            pair.server.receive(1);

            passTimeUntilTheServerEnds(pair);

            assertThat(pair.server.wire.nanos).isEqualTo(NEGOTIATION_NANOS + PEER_NANOS);
            assertThat(pair.server.wire.end).hasFieldOrPropertyWithValue("reason", TOO_SLOW);
        }
    }

    /** The time begins anew whenever a whole answer has left. */
    @Test
    void answerThatGetsNoCreditInTimeEndsTheConnection() {
        try (SessionPair pair = pair(32, 32)) {
            pair.open();
            pair.passTime();
            while (pair.client.call(0)) {
                pair.server.receive(1);
            }
            while (pair.server.answer(8 * INLINE_BYTES)) {} // more than the Receives of the client
            pair.setTime(NEGOTIATION_NANOS + PEER_NANOS / 2);
            pair.client.receive(Integer.MAX_VALUE);
            pair.server.receive(Integer.MAX_VALUE);

            passTimeUntilTheServerEnds(pair);

            assertThat(pair.server.wire.nanos).isEqualTo(NEGOTIATION_NANOS + PEER_NANOS / 2 + PEER_NANOS);
            assertThat(pair.server.wire.end).hasFieldOrPropertyWithValue("reason", TOO_SLOW);
        }
    }

    /** A side that joins a message looks several times whether others need the memory. */
    private static void passTimeUntilTheServerEnds(SessionPair pair) {
        while (pair.server.wire.end == null && pair.server.wire.nanos < NEGOTIATION_NANOS + 2 * PEER_NANOS) {
            pair.passTime();
        }
    }
}
