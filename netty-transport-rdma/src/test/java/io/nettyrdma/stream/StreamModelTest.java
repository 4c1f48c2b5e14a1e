// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.stream.ModelOfOurs.Fault;
import io.nettyrdma.stream.ModelPeer.BrokenException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two sides over an ordered wire, under random schedules in which sides and programs sleep at times. All bytes arrive
 * as they were sent, no word lacks a receive, no Write leaves its buffer, no stream stops.
 */
class StreamModelTest {

    private static final int RUNS = 300;
    private static final int STEPS = 20_000;
    private static final int STEPS_OF_A_PHASE = 150;
    private static final int CREDITS = 16;
    private static final int SMALL_BUFFER = 5;

    private static long seed() {
        long seed = Long.getLong("stream.seed", System.nanoTime());
        System.out.println("Stream model: -Dstream.seed=" + seed);
        return seed;
    }

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** The peer of a channel: another one, or a program over rsockets. */
    private enum Peer {
        OURS,
        /** Sixteen credits; it polls at the latest when it has sent two buffers of five octets. */
        C_OF_FEW_CREDITS,
        /** Credits for all that can be owed; it polls only when it is blocked. */
        C_THAT_NEVER_POLLS;

        ModelPeer[] connect(Random random, Fault fault) {
            byte[] forth = bytes(random, 400);
            byte[] back = bytes(random, 400);
            int half = random.nextBoolean() ? SMALL_BUFFER : 64;
            ModelPeer peer =
                    switch (this) {
                        case OURS -> ours(random, back, forth, 1, Fault.NONE);
                        case C_OF_FEW_CREDITS -> new ModelOfC(random, back, forth, CREDITS, half, 2 * SMALL_BUFFER);
                        case C_THAT_NEVER_POLLS -> new ModelOfC(random, back, forth, 64, half, Integer.MAX_VALUE);
                    };
            int smallest = this == C_OF_FEW_CREDITS ? SMALL_BUFFER : 1;
            return new ModelPeer[] {ours(random, forth, back, smallest, fault), peer};
        }

        private static ModelPeer ours(Random random, byte[] toSend, byte[] expected, int smallest, Fault fault) {
            int entries = 2 + random.nextInt(3);
            return new ModelOfOurs(random, toSend, expected, CREDITS + random.nextInt(5), entries, smallest, fault);
        }
    }

    /** Runs a connection to its end; {@code steps} at random, and then everything as often as it has an effect. */
    private static void run(Random random, ModelPeer[] sides, int steps) throws Exception {
        sides[0].start(sides[1].setup());
        sides[1].start(sides[0].setup());
        int choices = 2 * (ModelPeer.ACTIONS + 1);
        int[] weights = new int[choices];
        for (int step = 0; step < steps && !isDone(sides); step++) {
            if (step % STEPS_OF_A_PHASE == 0) {
                for (int i = 0; i < choices; i++) {
                    weights[i] = Math.max(0, random.nextInt(9) - 3);
                }
                weights[random.nextInt(choices)]++;
            }
            step(sides, choose(random, weights), false);
        }
        boolean changed = true;
        while (changed && !isDone(sides)) {
            changed = false;
            for (int i = 0; i < choices; i++) {
                changed |= step(sides, i, true);
            }
        }
        if (!isDone(sides)) {
            throw new BrokenException("stopped after " + sides[0].got + " of " + sides[0].expected.length + " and "
                    + sides[1].got + " of " + sides[1].expected.length + " bytes");
        }
    }

    private static int choose(Random random, int[] weights) {
        int sum = 0;
        for (int weight : weights) {
            sum += weight;
        }
        int rest = random.nextInt(sum);
        int choice = 0;
        while (rest >= weights[choice]) {
            rest -= weights[choice++];
        }
        return choice;
    }

    private static boolean step(ModelPeer[] sides, int choice, boolean asMuchAsPossible) throws Exception {
        ModelPeer side = sides[choice % 2];
        return choice / 2 == ModelPeer.ACTIONS
                ? side.deliverTo(sides[1 - choice % 2])
                : side.act(choice / 2, asMuchAsPossible);
    }

    private static boolean isDone(ModelPeer[] sides) {
        return sides[0].isDone() && sides[1].isDone();
    }

    /** Says of the first run that fails why it does; {@code null} if none does. */
    private static String failure(long seed, Peer peer, Fault fault, int runs) {
        for (int i = 0; i < runs; i++) {
            Random random = new Random(seed + i);
            try {
                run(random, peer.connect(random, fault), STEPS);
            } catch (Exception e) {
                return "seed " + (seed + i) + ": " + e;
            }
        }
        return null;
    }

    @ParameterizedTest
    @EnumSource
    void peersUnderstandEachOther(Peer peer) {
        assertThat(failure(seed(), peer, Fault.NONE, RUNS)).isNull();
    }

    @Test
    void sequenceOfWordsWrapsBothWays() throws Exception {
        Random random = new Random(seed());
        byte[] forth = new byte[140_000];
        byte[] back = new byte[140_000];
        random.nextBytes(forth);
        random.nextBytes(back);
        ModelPeer[] sides = {
            new ModelOfOurs(random, forth, back, CREDITS, 4, SMALL_BUFFER, Fault.NONE),
            new ModelOfC(random, back, forth, CREDITS, SMALL_BUFFER, 2 * SMALL_BUFFER)
        };
        run(random, sides, Integer.MAX_VALUE);
        assertThat(sides[1].got).isEqualTo(forth.length);
    }

    /**
     * A program that has read nothing goes on sending without a poll: each of its words fills a buffer that it has
     * found in its table, and causes a LIMIT. Eight words in reserve are not enough for that.
     */
    @Test
    void limitsForAProgramThatSendsWithoutPollingHaveTheirReceives() throws Exception {
        sendWithoutPolling(Fault.NONE);
        assertThatThrownBy(() -> sendWithoutPolling(Fault.RESERVE_OF_EIGHT))
                .hasMessageContaining("no receive for word");
    }

    private static void sendWithoutPolling(Fault fault) throws Exception {
        Random random = new Random(0);
        ModelPeer ours = new ModelOfOurs(random, new byte[400], new byte[400], CREDITS, 4, 1, fault);
        ModelPeer program = new ModelOfC(random, new byte[400], new byte[400], 64, 512, Integer.MAX_VALUE);
        ours.start(program.setup());
        program.start(ours.setup());
        ModelPeer[] sides = {ours, program};
        while (step(sides, 2, false)) {
            ours.deliverTo(program);
            ours.deliverTo(program);
        }
        int words = 0;
        // Publish, and then the program sends, which the channel answers.
        for (boolean sends = true; sends; words += sends ? 1 : 0) {
            step(sides, 4, true);
            step(sides, 0, true);
            deliverAll(ours, program);
            sends = step(sides, 3, true);
            deliverAll(program, ours);
            step(sides, 0, true);
            deliverAll(ours, program);
        }
        assertThat(words).isEqualTo(CREDITS);
    }

    private static void deliverAll(ModelPeer from, ModelPeer to) throws BrokenException {
        boolean delivered = true;
        while (delivered) {
            delivered = from.deliverTo(to);
        }
    }

    /** What a fault leads to, with one kind of peer or the other. */
    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "RESERVE_OF_EIGHT"})
    void faultIsFound(Fault fault) {
        String symptom =
                switch (fault) {
                    case NO_RESERVE -> "no receive for word";
                    case RESERVE_OF_MORE_THAN_HALF, LIMIT_BEFORE_ITS_ENTRY, LIMIT_WHEN_ALL_IS_USED -> "stopped after";
                    case ENTRY_TAKEN_TWICE, BUFFER_WITHDRAWN_EARLY -> "written at|not what was sent|DATA of the peer";
                    case LIMIT_TOO_HIGH -> "LIMIT of the peer";
                    case NONE, RESERVE_OF_EIGHT -> throw new AssertionError();
                };
        Peer peer =
                switch (fault) {
                    case NO_RESERVE, RESERVE_OF_MORE_THAN_HALF -> Peer.C_OF_FEW_CREDITS;
                    default -> Peer.OURS;
                };
        assertThat(failure(seed(), peer, fault, RUNS)).isNotNull().containsPattern(symptom);
    }
}
