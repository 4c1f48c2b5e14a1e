// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.ContractClasses.Contract;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The text of the list. */
final class ContractReport {

    private final Map<String, Contract> contracts;
    private final SortedMap<String, SortedMap<Lane, SortedMap<String, String>>> reasons = new TreeMap<>();

    ContractReport(Map<String, Contract> contracts) {
        this.contracts = contracts;
    }

    /** Adds the tests of a contract that do not apply to a lane. */
    void add(String contract, Lane lane, SortedMap<String, String> reasonByTest) {
        reasons.computeIfAbsent(contract, name -> new TreeMap<>()).put(lane, reasonByTest);
    }

    String text() {
        StringBuilder text = new StringBuilder(
                """
                # Contracts

                A contract is a class of tests that hold over each provider. The columns are the software provider
                (`soft`), the strict device of the tests (`strict`), DiSNI's API (`disni`), and the provider `native`
                over the kernel's drivers (`siw`, `rxe`); the last three as they were last tested. "All but 2" means
                that two tests do not apply, wholly or in part; the second table has the reasons.

                """);
        text.append("| contract |").append(lanes(Lane::lowerCase)).append('\n');
        text.append("|---|").append(lanes(lane -> "---").replace(" ", "")).append('\n');
        contracts.forEach((name, contract) -> text.append("| ")
                .append(name)
                .append(" |")
                .append(lanes(lane -> cell(name, contract, lane)))
                .append('\n'));
        text.append("\n| test | over | does not apply because |\n|---|---|---|\n");
        contracts.forEach((name, contract) -> addReasons(text, name, contract));
        return text.toString();
    }

    private static String lanes(Function<Lane, String> cell) {
        return Arrays.stream(Lane.values())
                .map(lane -> ' ' + cell.apply(lane) + " |")
                .collect(Collectors.joining());
    }

    private String cell(String name, Contract contract, Lane lane) {
        if (contract.absent().containsKey(lane)) {
            return "none";
        }
        int exceptions = reasons(name, lane).size();
        return exceptions == 0 ? "all" : "all but " + exceptions;
    }

    private SortedMap<String, String> reasons(String contract, Lane lane) {
        return reasons.getOrDefault(contract, new TreeMap<>()).getOrDefault(lane, new TreeMap<>());
    }

    /** One line for a test and a reason, with all lanes it is of. */
    private void addReasons(StringBuilder text, String name, Contract contract) {
        SortedMap<String, SortedMap<String, String>> lanesByTestAndReason = new TreeMap<>();
        for (Lane lane : Lane.values()) {
            SortedMap<String, String> all = new TreeMap<>(reasons(name, lane));
            if (contract.absent().containsKey(lane)) {
                all.put(ContractListener.ALL, contract.absent().get(lane));
            }
            all.forEach((test, reason) -> lanesByTestAndReason
                    .computeIfAbsent(test, it -> new TreeMap<>())
                    .merge(reason, lane.lowerCase(), (first, second) -> first + ", " + second));
        }
        lanesByTestAndReason.forEach((test, lanesByReason) -> lanesByReason.forEach((reason, lanes) -> text.append("| ")
                .append(test.equals(ContractListener.ALL) ? name : name + '.' + test)
                .append(" | ")
                .append(lanes)
                .append(" | ")
                .append(reason.replace("|", "\\|"))
                .append(" |\n")));
    }
}
