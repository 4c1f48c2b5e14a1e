// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.faults.FaultedCalls.Kind;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import io.nettyrdma.verbs.soft.TestTimeouts;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.Fpdu;
import io.nettyrdma.verbs.soft.iwarp.MpaFormatException;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One side falls silent inside an FPDU, at every step of an exchange of every kind, and TCP says nothing. The
 * provider's limit for unfinished FPDUs ends the connection, and with it, on either side, what was under way. Time is
 * the test's.
 */
@ExtendWith(NoVerbsLeft.class)
class SilenceInsideAnFpduTest {

    private static final Duration LIMIT = Duration.ofSeconds(7);

    private final ClockedProvider clock = new ClockedProvider(
            TestTimeouts.partialFpdu(SoftProviderConfig.builder().sameHost(false), LIMIT)
                    .build());

    /**
     * One FPDU of a recorded exchange.
     *
     * @param name  of its opcode
     * @param octet where it begins in the stream of its direction
     * @param bytes its length
     */
    private record FpduStep(String name, int octet, int bytes) {

        /** What a direction has sent, behind its MPA frame. */
        static List<FpduStep> of(byte[] record, boolean responder) throws MpaFormatException {
            ByteBuffer octets = ByteBuffer.wrap(record);
            List<FpduStep> steps = new ArrayList<>();
            int at = MpaFrame.bytes(octets, 0, record.length, responder);
            while (at < record.length) {
                int bytes = Fpdu.bytes(Fpdu.ulpduBytes(octets, at));
                String name = RdmapOpcode.name(Ddp.opcode(octets, at + Fpdu.LENGTH_BYTES));
                steps.add(new FpduStep(name, at, bytes));
                at += bytes;
            }
            return steps;
        }

        /** Half its length, half of it, and all but its last octet. */
        List<Integer> octetsInside() {
            return List.of(octet + 1, octet + bytes / 2, octet + bytes - 1);
        }
    }

    private static Set<String> steps(Kind kind, boolean ofResponder) {
        Set<String> steps = new TreeSet<>(Set.of("Send"));
        if (kind == Kind.READ_CHUNK || kind == Kind.POSITION_ZERO || kind == Kind.READ_AND_REPLY_CHUNK) {
            steps.add(ofResponder ? "RDMA Read Request" : "RDMA Read Response");
        }
        if (ofResponder
                && (kind == Kind.WRITE_CHUNK || kind == Kind.REPLY_CHUNK || kind == Kind.READ_AND_REPLY_CHUNK)) {
            steps.add("RDMA Write");
        }
        return steps;
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("V1-102")
    void connectionEndsInTimeAndEverythingWithIt(Kind kind) throws Exception {
        try (FaultedCalls calls = new FaultedCalls(clock);
                FaultRelay relay = new FaultRelay(calls.address(), FaultPlan.none(), FaultPlan.none()).start()) {
            OpenResources lasting = resources();
            relay.next(FaultPlan.none().recorded(), FaultPlan.none().recorded());
            Endings whole = calls.beginInTurn(kind, relay.address());
            whole.await();
            assertThat(whole.answered.values()).containsOnly(true);
            List<FpduStep> forth = FpduStep.of(relay.forthRecord(), false);
            List<FpduStep> back = FpduStep.of(relay.backRecord(), true);
            assertThat(forth).extracting(FpduStep::name).containsAll(steps(kind, false));
            assertThat(back).extracting(FpduStep::name).containsAll(steps(kind, true));
            calls.end(List.of(whole));
            // What is freed after a channel has closed, and would be missed in the end if it were counted now.
            calls.passUntil(
                    () -> "the end of the first: " + resources() + ", lasting " + lasting,
                    Duration.ofSeconds(2),
                    () -> hasSameConnections(lasting, resources()));

            OpenResources before = resources();
            long usedBytes = calls.usedBytes();
            List<Endings> runs = new ArrayList<>();
            begin(calls, relay, kind, forth, true, runs);
            begin(calls, relay, kind, back, false, runs);
            Poll.until("silence", () -> relay.heldConnections() == runs.size());
            assertThat(runs).noneMatch(Endings::areOver);
            List<Channel> accepted = List.copyOf(calls.accepted);
            assertThat(accepted).hasSameSizeAs(runs);

            // An unfinished FPDU has its time at least, and less than twice that.
            calls.pass(LIMIT.minusMillis(1));
            assertThat(runs).noneMatch(Endings::areOver);
            calls.pass(LIMIT);
            for (Endings run : runs) {
                run.await();
                assertThat(run.firstFailure()).as(run.what).isInstanceOf(ConnectionLostException.class);
                RdmaLoopback.await(run.channel.closeFuture(), "requester's end: " + run.what);
            }
            for (Channel channel : accepted) {
                RdmaLoopback.await(channel.closeFuture(), "responder's end");
            }
            calls.checkMemory();
            // Sockets wait for the FIN of a silent peer; some begin late, as channels first wait for their requests.
            calls.passUntil(
                    () -> "the end of everything: " + calls.usedBytes() + " octets, before " + usedBytes + "; "
                            + resources() + ", before " + before,
                    Duration.ofSeconds(2),
                    // Less is as good: the last reply of the run before may be released after it was counted.
                    () -> calls.usedBytes() <= usedBytes && isNoMore(before, resources()));
            calls.end(runs);
        }
    }

    private void begin(
            FaultedCalls calls, FaultRelay relay, Kind kind, List<FpduStep> steps, boolean forth, List<Endings> runs) {
        for (FpduStep step : steps) {
            for (int octet : step.octetsInside()) {
                FaultPlan stall = FaultPlan.none().stallAt(octet);
                relay.next(forth ? stall : FaultPlan.none(), forth ? FaultPlan.none() : stall);
                Endings run = calls.beginInTurn(kind, relay.address());
                run.what = step + (forth ? " of the requester, octet " : " of the responder, octet ") + octet;
                runs.add(run);
            }
        }
    }

    private OpenResources resources() {
        return clock.provider().openResources();
    }

    /** Of regions there may be less: pooled memory that is idle is let go of. */
    private static boolean isNoMore(OpenResources before, OpenResources now) {
        return hasSameConnections(before, now) && now.memoryRegions() <= before.memoryRegions();
    }

    private static boolean hasSameConnections(OpenResources before, OpenResources now) {
        return now.ids() == before.ids()
                && now.queuePairs() == before.queuePairs()
                && now.connections() == before.connections();
    }
}
