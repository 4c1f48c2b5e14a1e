// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Two sides and the wire between them, over random schedules: no message is without a receive, and when both sides read
 * and nothing is on its way, everything has been consumed and reported.
 */
class FlowModelTest {

    private static final int RUNS = 2000;
    private static final int STEPS = 600;
    private static final int STEPS_OF_A_PHASE = 40;

    /** What a side may do; the schedule prefers some of it for a while. */
    private enum Action {
        WRITE,
        READ,
        ARRIVE,
        SETTLE,
        FLUSH
    }

    /** What a run is changed by, so that it has to fail. */
    private enum Fault {
        NONE,
        ONE_RECEIVE_LESS,
        NO_ANSWERS,
        NO_MESSAGES_WITHOUT_DATA
    }

    private static final class Side {
        final FlowExchange exchange;
        final int receives;
        final Fault fault;
        /** Under way to this side. */
        final ArrayDeque<Long> wire = new ArrayDeque<>();
        /** Written by this side, and not flushed. */
        final ArrayDeque<Long> unflushed = new ArrayDeque<>();
        /** The numbers of messages whose report has not come. */
        final ArrayDeque<Integer> unreported = new ArrayDeque<>();

        Side peer;
        int toSend;
        int unread;

        Side(FlowOffer own, FlowOffer other, int toSend, Fault fault) {
            exchange = new FlowExchange(own, other);
            receives = own.window() + FlowExchange.RESERVED_RECEIVES - (fault == Fault.ONE_RECEIVE_LESS ? 1 : 0);
            this.toSend = toSend;
            this.fault = fault;
        }

        private boolean flush() {
            boolean any = !unflushed.isEmpty();
            peer.wire.addAll(unflushed);
            unflushed.clear();
            exchange.onFlushed();
            if (peer.wire.size() > peer.receives) {
                throw new IllegalStateException("no receive: " + peer.wire.size() + " under way");
            }
            return any;
        }

        /** Returns whether something has changed. */
        boolean act(Action action, Random random) throws FlowProtocolException {
            switch (action) {
                case WRITE -> {
                    if (toSend == 0 || exchange.credits() == 0) {
                        return false;
                    }
                    boolean report = random.nextInt(3) == 0;
                    unflushed.add(exchange.data(random.nextInt(4) == 0, report));
                    toSend--;
                    if (report) {
                        unreported.add(exchange.sent());
                    }
                }
                case READ -> {
                    if (unread == 0) {
                        return false;
                    }
                    exchange.consume();
                    unread--;
                }
                case ARRIVE -> {
                    Long trailer = wire.poll();
                    if (trailer == null) {
                        return false;
                    }
                    if (fault == Fault.NO_ANSWERS) {
                        trailer &= ~FlowTrailer.ASK;
                    }
                    unread += exchange.receive(trailer) ? 1 : 0;
                    while (!unreported.isEmpty() && exchange.isConsumedByPeer(unreported.element())) {
                        unreported.remove();
                    }
                }
                case FLUSH -> {
                    return flush();
                }
                default -> {
                    if (!exchange.isEmptyDue()) {
                        return false;
                    }
                    if (exchange.hasUnflushed()) {
                        return flush();
                    }
                    if (fault == Fault.NO_MESSAGES_WITHOUT_DATA) {
                        return false;
                    }
                    unflushed.add(exchange.empty());
                    flush();
                }
            }
            return true;
        }

        boolean isDone() {
            return toSend == 0 && unread == 0 && wire.isEmpty() && unreported.isEmpty() && unflushed.isEmpty();
        }

        @Override
        public String toString() {
            return toSend + " to send with " + exchange.credits() + " credits, " + unread + " unread, " + wire.size()
                    + " under way, " + unreported.size() + " not reported";
        }
    }

    /**
     * Lets each side do everything once, and returns whether something has changed. The programs flush only when they
     * can write nothing more.
     */
    private static boolean round(Side[] sides, Random random) throws FlowProtocolException {
        boolean changed = false;
        for (Side side : sides) {
            for (Action action : Action.values()) {
                boolean may = action != Action.FLUSH || side.toSend == 0 || side.exchange.credits() == 0;
                changed |= may && side.act(action, random);
            }
        }
        return changed;
    }

    private static void run(Random random, Fault fault) throws FlowProtocolException {
        FlowOffer first = new FlowOffer(1 + random.nextInt(9), 64, 64);
        FlowOffer second = new FlowOffer(1 + random.nextInt(9), 64, 64);
        Side[] sides = {
            new Side(first, second, random.nextInt(150), fault), new Side(second, first, random.nextInt(150), fault)
        };
        sides[0].peer = sides[1];
        sides[1].peer = sides[0];
        Action[] actions = Action.values();
        int[] preferred = new int[2];
        for (int step = 0; step < STEPS; step++) {
            if (step % STEPS_OF_A_PHASE == 0) {
                preferred[0] = random.nextInt(1 << actions.length);
                preferred[1] = random.nextInt(1 << actions.length);
            }
            int side = random.nextInt(2);
            Action action = actions[random.nextInt(actions.length)];
            if ((preferred[side] >> action.ordinal() & 1) != 0) {
                sides[side].act(action, random);
            }
        }
        int rounds = 0;
        while (round(sides, random)) {
            if (++rounds > 10 * STEPS) {
                throw new IllegalStateException("goes on for ever: " + sides[0] + "; " + sides[1]);
            }
        }
        if (!sides[0].isDone() || !sides[1].isDone()) {
            throw new IllegalStateException("stands still: " + sides[0] + "; " + sides[1]);
        }
    }

    /** Says of the first run that fails why it does; {@code null} if none does. */
    private static String failure(Fault fault) {
        long seed = Long.getLong("flow.seed", System.nanoTime());
        System.out.println("Flow model: -Dflow.seed=" + seed);
        for (int i = 0; i < RUNS; i++) {
            try {
                run(new Random(seed + i), fault);
            } catch (Exception e) {
                return "seed " + (seed + i) + ": " + e;
            }
        }
        return null;
    }

    @Test
    void nothingIsOverrunAndNothingStandsStill() {
        assertThat(failure(Fault.NONE)).isNull();
    }

    @Test
    void eachReservedReceiveIsNeeded() {
        assertThat(failure(Fault.ONE_RECEIVE_LESS)).contains("no receive");
    }

    @Test
    void withoutAnswersReportsStandStill() {
        assertThat(failure(Fault.NO_ANSWERS)).contains("stands still");
    }

    @Test
    void withoutMessagesWithoutDataOneDirectionStandsStill() {
        assertThat(failure(Fault.NO_MESSAGES_WITHOUT_DATA)).contains("stands still");
    }

    @Test
    void countsWrap() throws FlowProtocolException {
        Random random = new Random(1);
        FlowOffer offer = new FlowOffer(1, 64, 64);
        Side[] sides = {new Side(offer, offer, 100_000, Fault.NONE), new Side(offer, offer, 0, Fault.NONE)};
        sides[0].peer = sides[1];
        sides[1].peer = sides[0];
        while (round(sides, random)) {
            // As often as something changes.
        }
        assertThat(sides[0].isDone()).isTrue();
        assertThat(sides[1].isDone()).isTrue();
    }
}
