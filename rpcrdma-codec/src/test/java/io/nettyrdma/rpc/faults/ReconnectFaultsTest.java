// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient.Retransmission;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.faults.FaultedCalls.Kind;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import io.nettyrdma.verbs.soft.TestTimeouts;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.Sweep;
import io.nettyrdma.verbs.soft.faults.SweepProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Faults below a client that reconnects: in the handshake octet by octet, and on the connection with a stride, so that
 * every kind of call is hit in all its steps while the whole takes a few seconds. Calls end once; what may be sent
 * again is, and is answered.
 */
@Over
@ExtendWith(NoVerbsLeft.class)
@Tag("sweep")
final class ReconnectFaultsTest {

    /** Clients that are under way together, each with a relay, hence a thread; many where there are many. */
    private static final int RUNS = Sweep.isOfEverything() ? 64 : 16;

    /** Clients that come to a halt together; fewer, as their calls end by time-out if that takes long. */
    private static final int HELD_RUNS = 16;

    /** Of each of the two frames. */
    private static final int HANDSHAKE_BYTES = 32;

    private static final int STRIDE = 263;
    /** A divisor of {@link #HANDSHAKE_BYTES}, with {@link #RUNS} positions in both frames. */
    private static final int HANDSHAKE_STRIDE = 4;

    private static final Duration LIMIT = Duration.ofSeconds(7);

    /** Longer than a step of a connection or a call takes on a machine that has nothing else to do. */
    private static final long MOMENT_MILLIS = 25;

    private final ClockedProvider clock =
            new ClockedProvider(LoopsOver.config(TestTimeouts.partialFpdu(SoftProviderConfig.builder(), LIMIT)));

    /**
     * Waits until nothing moves for a moment, and then lets time pass for those that wait for a silent peer.
     * As this ends handshakes of others that are only slow, the next moment is twice as long, and long enough for them
     * on any machine in the end.
     */
    private static void finish(FaultedCalls calls, List<ReconnectingCalls> runs) throws Exception {
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        long millis = MOMENT_MILLIS;
        while (!runs.stream().allMatch(ReconnectingCalls::areOver) && System.nanoTime() - end < 0) {
            long moved = moved(runs);
            if (!await(runs, millis) && moved(runs) == moved) {
                calls.pass(LIMIT);
                millis *= 2;
            }
        }
        for (ReconnectingCalls run : runs) {
            run.end();
        }
    }

    /** Changes whenever a relay accepts a connection or hands on a byte. */
    private static long moved(List<ReconnectingCalls> runs) {
        return runs.stream()
                .mapToLong(run -> run.relay.connections() + run.relay.forthOctets() + run.relay.backOctets())
                .sum();
    }

    private static boolean await(List<ReconnectingCalls> runs, long millis) throws Exception {
        for (ReconnectingCalls run : runs) {
            for (Future<ByteBuf> reply : run.replies) {
                if (!reply.await(millis)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void close(FaultedCalls calls, List<ReconnectingCalls> runs) throws Exception {
        runs.forEach(run -> run.client.closeAsync()); // all at once; each is awaited below
        for (ReconnectingCalls run : runs) {
            run.close();
        }
        runs.clear();
        calls.end(List.of());
    }

    @ParameterizedTest
    @CsvSource({"CLOSE, ALL", "RESET, ALL", "CORRUPT, ALL", "CLOSE, UNSENT", "RESET, UNSENT", "CORRUPT, UNSENT"})
    @Requirement({"V1-102", "V1-122"})
    void connectionThatBreaksAnywhereCostsNoCallThatMayBeSentAgain(Fault fault, Retransmission retransmission)
            throws Exception {
        try (FaultedCalls calls = new FaultedCalls(clock)) {
            for (Kind kind : Kind.values()) {
                int[] octets = octetsOf(calls, kind);
                int[] positions = Sweep.positions(HANDSHAKE_BYTES, octets[0] + octets[1], STRIDE);
                SweepProgress.over(name("connection", fault, retransmission, kind), positions.length, progress -> {
                    List<ReconnectingCalls> runs = new ArrayList<>();
                    for (int octet : positions) {
                        ReconnectingCalls run = new ReconnectingCalls(calls, kind, retransmission);
                        boolean forth = octet < octets[0];
                        FaultPlan plan = fault.at(forth ? octet : octet - octets[0] + HANDSHAKE_BYTES);
                        run.relay.next(forth ? plan : FaultPlan.none(), forth ? FaultPlan.none() : plan);
                        run.what = kind + ", " + (forth ? "requester: " : "responder: ") + plan;
                        progress.at(run.what);
                        runs.add(run.begin());
                        if (runs.size() == RUNS) {
                            check(calls, retransmission, runs);
                        }
                    }
                    check(calls, retransmission, runs);
                });
            }
        }
    }

    /** Of a sweep: the class, so that one over another device is told apart, and the parameters. */
    private String name(String what, Object... parameters) {
        return getClass().getSimpleName() + ", " + what + " " + Arrays.toString(parameters);
    }

    private static void check(FaultedCalls calls, Retransmission retransmission, List<ReconnectingCalls> runs)
            throws Exception {
        finish(calls, runs);
        if (retransmission == Retransmission.ALL) {
            assertThat(runs).allSatisfy(run -> assertThat(run.answered()).isEqualTo(3));
        }
        close(calls, runs);
    }

    private static int[] octetsOf(FaultedCalls calls, Kind kind) throws Exception {
        try (ReconnectingCalls whole = new ReconnectingCalls(calls, kind, Retransmission.UNSENT)) {
            whole.begin().end();
            assertThat(whole.answered()).isEqualTo(3);
            assertThat(whole.attempts()).isOne();
            return new int[] {(int) whole.relay.forthOctets(), (int) whole.relay.backOctets()};
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("V1-122")
    void handshakeThatBreaksAtAnyOctetCostsNoCall(Fault fault) throws Exception {
        // A frame that says something else may well be understood, and the calls sent.
        boolean isUnderstood = fault == Fault.CORRUPT;
        sweepHandshakes("handshake", fault, Retransmission.values(), false, isUnderstood ? 0 : 3, isUnderstood ? 1 : 2);
    }

    /**
     * The first connection breaks in the middle of the call with chunks, the second one in its handshake.
     */
    @ParameterizedTest
    @EnumSource
    @Requirement("V1-122")
    void reconnectThatBreaksAtAnyOctetIsFollowedByAnother(Fault fault) throws Exception {
        sweepHandshakes("reconnect", fault, new Retransmission[] {Retransmission.ALL}, true, 3, 2);
    }

    private void sweepHandshakes(
            String what, Fault fault, Retransmission[] retransmissions, boolean again, int answered, int attempts)
            throws Exception {
        try (FaultedCalls calls = new FaultedCalls(clock)) {
            long middle = octetsOf(calls, Kind.READ_AND_REPLY_CHUNK)[0] / 2;
            int[] positions = Sweep.positions(0, 2 * HANDSHAKE_BYTES, HANDSHAKE_STRIDE);
            SweepProgress.over(name(what, fault), positions.length, progress -> {
                List<ReconnectingCalls> runs = new ArrayList<>();
                for (int octet : positions) {
                    progress.at(fault + " at " + octet + " of both frames");
                    for (Retransmission retransmission : retransmissions) {
                        ReconnectingCalls run = new ReconnectingCalls(calls, Kind.READ_AND_REPLY_CHUNK, retransmission);
                        if (again) {
                            run.relay.next(FaultPlan.none().resetAt(middle + octet), FaultPlan.none());
                        }
                        boolean forth = octet < HANDSHAKE_BYTES;
                        FaultPlan plan = fault.at(octet % HANDSHAKE_BYTES);
                        run.relay.next(forth ? plan : FaultPlan.none(), forth ? FaultPlan.none() : plan);
                        run.what = (forth ? "request: " : "reply: ") + plan;
                        runs.add(run.begin());
                    }
                    if (runs.size() == RUNS) {
                        finish(calls, runs);
                        for (ReconnectingCalls run : runs) {
                            assertThat(run.answered()).as(run.what).isGreaterThanOrEqualTo(answered);
                            assertThat(run.attempts()).as(run.what).isGreaterThanOrEqualTo(attempts);
                        }
                        close(calls, runs);
                    }
                }
                assertThat(runs).as("runs that were not looked at").isEmpty();
            });
        }
    }

    /**
     * At octets of the whole exchange, handshake included. Each client comes to a halt at its own before any is closed.
     */
    @ParameterizedTest
    @EnumSource
    @Requirement("V1-102")
    void closeAtAnyStageEndsEveryCall(Retransmission retransmission) throws Exception {
        try (FaultedCalls calls = new FaultedCalls(clock)) {
            int[] octets = octetsOf(calls, Kind.READ_AND_REPLY_CHUNK);
            int[] positions = stages(octets);
            SweepProgress.over(name("close", retransmission), positions.length, progress -> {
                List<ReconnectingCalls> runs = new ArrayList<>();
                for (int octet : positions) {
                    boolean forth = octet < octets[0];
                    FaultPlan hold = FaultPlan.none().holdAt(forth ? octet : octet - octets[0]);
                    ReconnectingCalls run = new ReconnectingCalls(calls, Kind.READ_AND_REPLY_CHUNK, retransmission);
                    run.relay.next(forth ? hold : FaultPlan.none(), forth ? FaultPlan.none() : hold);
                    run.what = "close at " + (forth ? "requester's " : "responder's ") + octet;
                    progress.at(run.what);
                    runs.add(run.begin());
                    if (runs.size() == HELD_RUNS) {
                        closeAtTheirStages(calls, runs);
                    }
                }
                closeAtTheirStages(calls, runs);
            });
        }
    }

    private static void closeAtTheirStages(FaultedCalls calls, List<ReconnectingCalls> runs) throws Exception {
        for (ReconnectingCalls run : runs) {
            Poll.until(run.what, () -> run.areOver() || run.relay.isHeld());
        }
        for (ReconnectingCalls run : runs) {
            Future<Void> first = run.client.closeAsync();
            Future<Void> second = run.client.closeAsync();

            RdmaLoopback.await(first, "close: " + run.what);
            assertThat(run.replies).as(run.what).allMatch(Future::isDone);
            RdmaLoopback.await(second, "second close: " + run.what);
            run.call(Kind.INLINE);
            assertThat(RdmaLoopback.failure(run.replies.get(3))).isInstanceOf(ConnectionLostException.class);
            run.end();
            assertThat(run.attempts()).as(run.what).isOne();
        }
        close(calls, runs);
    }

    /** Octets of the whole exchange, the responder's behind the requester's: more of the handshakes than others. */
    private static int[] stages(int[] octets) {
        return IntStream.iterate(0, octet -> octet < octets[0] + octets[1], octet -> octet + stride(octet % octets[0]))
                .toArray();
    }

    private static int stride(int octet) {
        return Sweep.isOfEverything() ? 1 : octet < HANDSHAKE_BYTES ? 5 : STRIDE;
    }
}
