// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import io.nettyrdma.conformance.ConformanceException;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.ContractClasses.Contract;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Holds the contracts against the tests of this build and the last runs of others, and writes the report. Arguments as
 * for the check of conformance.
 */
public final class ContractCheck {

    private static final String MODULE = "netty-transport-rdma";

    private final Path list;
    private final Path deviceFile;
    private final Path deviceResults;
    private final Path results;
    private final Map<String, Contract> contracts;
    private final DeviceReasons devices;
    private final String build;

    ContractCheck(Path directory, Map<String, Contract> contracts, String build) throws IOException {
        list = directory.resolve("rules/target/CONTRACTS.md");
        deviceFile = directory.resolve("conformance/devices.csv");
        deviceResults = directory.resolve("lab/target").resolve(ContractResults.DIRECTORY);
        results = target(directory).resolve(ContractResults.DIRECTORY);
        devices = DeviceReasons.read(deviceFile);
        this.contracts = contracts;
        this.build = build;
    }

    private static Path target(Path directory) {
        return directory.resolve("..").resolve(MODULE).resolve("target").normalize();
    }

    /** Runs the check, for the build. */
    public static void main(String[] arguments) throws IOException, ConformanceException, ClassNotFoundException {
        Path directory = Path.of(arguments[0]);
        Map<String, Contract> contracts = ContractClasses.in(target(directory).resolve("test-classes"));
        ContractCheck check = new ContractCheck(directory, contracts, arguments[1]);
        System.out.println("contracts: " + (arguments[2].equals("part") ? check.part() : check.report()));
    }

    /** The outcome in words. */
    String report() throws IOException, ConformanceException {
        List<String> gaps = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        ContractReport report = new ContractReport(contracts);
        for (Map.Entry<String, Contract> contract : contracts.entrySet()) {
            Class<?> tests = contract.getValue().tests();
            for (Lane lane : Lane.values()) {
                if (contract.getValue().absent().containsKey(lane)) {
                    continue;
                }
                SortedMap<String, String> reasons = reasons(contract.getKey(), lane, tests, problems);
                if (reasons == null) {
                    gaps.add(tests.getSimpleName() + " did not run over " + lane.lowerCase() + " in this build");
                } else {
                    report.add(contract.getKey(), lane, reasons);
                }
            }
        }
        devices.contracts().stream()
                .filter(name -> !contracts.isEmpty() && !contracts.containsKey(name))
                .forEach(name -> problems.add(deviceFile.getFileName() + " has " + name + ", which does not exist"));
        if (!problems.isEmpty()) {
            throw new ConformanceException(String.join("\n", problems));
        }
        if (contracts.isEmpty() || !gaps.isEmpty()) {
            return "not checked, " + (contracts.isEmpty() ? MODULE + " is not compiled" : gaps.get(0));
        }
        Files.createDirectories(list.getParent());
        Files.writeString(list, report.text());
        return "all ran, see " + list.normalize();
    }

    private @Nullable SortedMap<String, String> reasons(
            String contract, Lane lane, Class<?> test, List<String> problems) throws IOException {
        if (!lane.isOfOtherBuilds()) {
            ContractResults found = ContractResults.read(results.resolve(lane.lowerCase()), test, build);
            return found == null ? null : found.reasons();
        }
        SortedMap<String, String> reasons = devices.get(contract, lane);
        if (reasons == null) {
            problems.add(deviceFile.getFileName() + " has nothing of " + contract + " over " + lane.lowerCase()
                    + ": run " + build(lane) + " and commit the file");
            return new TreeMap<>();
        }
        Set<String> methods = new TreeSet<>(Set.of(ContractListener.ALL));
        for (Class<?> type = test; type != null; type = type.getSuperclass()) {
            Arrays.stream(type.getDeclaredMethods()).map(Method::getName).forEach(methods::add);
        }
        reasons.keySet().stream()
                .filter(method -> !methods.contains(method))
                .forEach(method -> problems.add(deviceFile.getFileName() + " has " + contract + '.' + method
                        + ", which does not exist: run " + build(lane) + " and commit the file"));
        return reasons;
    }

    private static String build(Lane lane) {
        return "mvn verify " + (lane.isDevice() ? "-Plab" : "-Dtest.over=" + lane.lowerCase());
    }

    /** Keeps the results of the lanes that this build had. It runs all contracts over one, or none. */
    String part() throws IOException, ConformanceException {
        boolean ran = false;
        List<String> problems = new ArrayList<>();
        for (Lane lane : Lane.values()) {
            if (!lane.isOfOtherBuilds()) {
                continue;
            }
            List<String> missing = new ArrayList<>();
            boolean present = false;
            for (Map.Entry<String, Contract> contract : contracts.entrySet()) {
                if (contract.getValue().absent().containsKey(lane)) {
                    continue;
                }
                Class<?> test = contract.getValue().tests();
                Path kept = (lane.isDevice() ? deviceResults : results).resolve(lane.lowerCase());
                ContractResults found = ContractResults.read(kept, test, build);
                if (found == null) {
                    missing.add(contract.getKey() + " did not run over " + lane.lowerCase() + ", other contracts did:"
                            + " add " + test.getSimpleName() + " to the tests of " + build(lane));
                } else {
                    present = true;
                    devices.put(contract.getKey(), lane, found.reasons());
                }
            }
            if (present) {
                problems.addAll(missing);
            }
            ran |= present;
        }
        if (!problems.isEmpty()) {
            throw new ConformanceException(String.join("\n", problems));
        }
        if (!ran) {
            return "no other provider or device was tested";
        }
        String text = devices.text();
        if (Files.readString(deviceFile).equals(text)) {
            return "other providers and devices show the same as before";
        }
        Files.writeString(deviceFile, text);
        throw new ConformanceException("other providers and devices show something new, " + deviceFile.getFileName()
                + " was rewritten: commit it");
    }
}
