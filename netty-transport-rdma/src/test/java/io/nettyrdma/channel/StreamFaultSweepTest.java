// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.bootstrap.ServerBootstrap;
import io.nettyrdma.channel.StreamTalker.Ending;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.soft.faults.Sweep;
import io.nettyrdma.verbs.soft.faults.SweepProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The network below a byte stream breaks at any octet of a short conversation: of the set-up, of bytes, and of every
 * word. Every promise completes once, the pipeline is told once why a stream ends that does not end in order, nothing
 * is left, and another stream on the same event loops does not notice.
 */
@Over
@ExtendWith({LeavesNothingOpen.class, NothingLeft.class})
@Tag("sweep")
final class StreamFaultSweepTest {

    /** Conversations that are under way together. */
    private static final int RUNS = 64;

    enum Fault {
        /** The connection ends with a FIN in both directions. */
        CLOSE(23, false, true, octet -> FaultPlan.none().closeAt(octet)),
        RESET(23, false, false, octet -> FaultPlan.none().resetAt(octet)),
        CORRUPT(37, true, true, octet -> FaultPlan.none().corruptAt(octet)),
        STALL(61, true, false, octet -> FaultPlan.none().stallAt(octet));

        final int stride;
        final boolean endsBySilence;
        /** Whether an end may look like that of a peer's process; a damaged reply ends a connect so, too. */
        final boolean endsInOrder;

        final LongFunction<FaultPlan> plan;

        Fault(int stride, boolean endsBySilence, boolean endsInOrder, LongFunction<FaultPlan> plan) {
            this.stride = stride;
            this.endsBySilence = endsBySilence;
            this.endsInOrder = endsInOrder;
            this.plan = plan;
        }
    }

    @ParameterizedTest
    @EnumSource
    void networkThatBreaksAnywhereEndsEachStreamOnceAndLeavesNothing(Fault fault) throws Exception {
        // The network may break while an accepted channel is on its way to its event loop.
        Logs.allow(ServerBootstrap.class.getName(), "Failed to register an accepted channel");
        for (Ending ending : Ending.values()) {
            try (FaultedStreams streams = new FaultedStreams(ending)) {
                sweep(streams.start(), fault, ending);
            }
        }
    }

    private void sweep(FaultedStreams streams, Fault fault, Ending ending) throws Exception {
        int all = streams.forthOctets + streams.backOctets;
        int[] positions = Sweep.positions(0, all, fault.stride);
        String name = getClass().getSimpleName() + ", " + fault + ", " + ending;
        SweepProgress.over(name, positions.length, progress -> {
            List<StreamTalker> runs = new ArrayList<>();
            for (int octet : positions) {
                boolean isForth = octet < streams.forthOctets;
                int at = isForth ? octet : octet - streams.forthOctets;
                FaultPlan plan = fault.plan.apply(at);
                String what = fault + (isForth ? " at the client's octet " : " at the server's octet ") + at;
                progress.at(what);
                streams.relay.next(isForth ? plan : FaultPlan.none(), isForth ? FaultPlan.none() : plan);
                runs.add(streams.begin(what));
                if (runs.size() == RUNS) {
                    streams.end(runs, fault.endsBySilence, fault.endsInOrder);
                    runs.clear();
                }
            }
            if (!runs.isEmpty()) {
                streams.end(runs, fault.endsBySilence, fault.endsInOrder);
            }
        });
    }
}
