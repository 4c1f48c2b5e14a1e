// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.soft.faults.Sweep;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One fault at every octet of a short exchange, in either direction. Whatever it is, the exchange ends, every request
 * completes once, what was delivered is what was sent, nothing is left, and nothing is thrown.
 */
@ExtendWith(NothingLeft.class)
@Tag("sweep")
final class FaultSweepTest {

    private static final Map<String, Integer> outcomes = new TreeMap<>();

    private static final int STRIDE = 4;

    enum Fault {
        CLOSE(octet -> FaultPlan.none().closeAt(octet)),
        RESET(octet -> FaultPlan.none().resetAt(octet)),
        STALL(octet -> FaultPlan.none().stallAt(octet)),
        CORRUPT(octet -> FaultPlan.none().corruptAt(octet)),
        CORRUPT_LOW_BIT(octet -> FaultPlan.none().corruptAt(octet, 1));

        final LongFunction<FaultPlan> plan;

        Fault(LongFunction<FaultPlan> plan) {
            this.plan = plan;
        }
    }

    private static FaultedExchange run(FaultPlan forth, FaultPlan back) throws Exception {
        return run(FaultedExchange.impatient(), forth, back);
    }

    private static FaultedExchange run(SoftProviderConfig.Builder config, FaultPlan forth, FaultPlan back)
            throws Exception {
        try (FaultedExchange exchange = new FaultedExchange(config.build(), forth, back)) {
            exchange.run();
            return exchange;
        } catch (Exception | AssertionError e) {
            throw new AssertionError("forth: " + forth + ", back: " + back, e);
        }
    }

    /** With waits so long that a machine under load does not matter. */
    private static FaultedExchange complete(FaultPlan plan) throws Exception {
        FaultedExchange exchange = run(Node.config(), plan, plan);
        assertThat(exchange.outcome).isEqualTo("complete, initiator: orderly, responder: orderly");
        return exchange;
    }

    @Test
    void exchangeIsCompleteWithoutFaults() throws Exception {
        FaultedExchange whole = complete(FaultPlan.none());
        FaultedExchange cut = complete(FaultPlan.none().segmentsOf(1));
        assertThat(cut.forthOctets).isEqualTo(whole.forthOctets);
        assertThat(cut.backOctets).isEqualTo(whole.backOctets);
    }

    @ParameterizedTest
    @EnumSource
    void faultAtAnyOctet(Fault fault) throws Exception {
        FaultedExchange whole = complete(FaultPlan.none());
        for (int octet : Sweep.positions(0, (int) whole.forthOctets + 1, STRIDE)) {
            count(fault, "initiator's octets", run(fault.plan.apply(octet), FaultPlan.none()));
        }
        for (int octet : Sweep.positions(0, (int) whole.backOctets + 1, STRIDE)) {
            count(fault, "responder's octets", run(FaultPlan.none(), fault.plan.apply(octet)));
        }
    }

    private static void count(Fault fault, String direction, FaultedExchange exchange) {
        String outcome = exchange.outcome.replaceAll("0x[0-9a-f]+", "0x…").replaceAll("\\b\\d+\\b", "n");
        outcomes.merge(fault + " in the " + direction + " | " + outcome, 1, Integer::sum);
    }

    @AfterAll
    static void writePage() throws Exception {
        List<String> lines = new ArrayList<>();
        lines.add("# A fault at any octet");
        lines.add("");
        lines.add("| fault | outcome | times |");
        lines.add("|---|---|---|");
        outcomes.forEach((outcome, times) -> lines.add("| " + outcome + " | " + times + " |"));
        Files.createDirectories(Path.of("target"));
        Files.write(Path.of("target/fault-sweep.md"), lines);
    }
}
