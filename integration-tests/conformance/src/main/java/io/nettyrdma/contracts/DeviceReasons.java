// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import io.nettyrdma.conformance.Lane;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVPrinter;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * Tests that did not apply to other providers, or to the kernel's devices, when they were last tested: {@code
 * contract,device,test,reason}. A contract that ran has a line without a test.
 */
final class DeviceReasons {

    private static final CSVFormat FORMAT =
            CSVFormat.RFC4180.builder().setRecordSeparator('\n').get();
    private static final String[] HEADER = {"contract", "device", "test", "reason"};

    /** Reasons by test method, by contract and device. */
    private final SortedMap<String, SortedMap<Lane, SortedMap<String, String>>> contracts = new TreeMap<>();

    static DeviceReasons read(Path file) throws IOException {
        DeviceReasons made = new DeviceReasons();
        CSVFormat withHeader =
                FORMAT.builder().setHeader().setSkipHeaderRecord(true).get();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8);
                CSVParser parser = withHeader.parse(reader)) {
            for (CSVRecord line : parser) {
                Lane device = Lane.valueOf(line.get("device").toUpperCase(Locale.ROOT));
                SortedMap<String, String> reasons = made.contracts
                        .computeIfAbsent(line.get("contract"), name -> new TreeMap<>())
                        .computeIfAbsent(device, name -> new TreeMap<>());
                if (!line.get("test").isEmpty()) {
                    reasons.put(line.get("test"), line.get("reason"));
                }
            }
        }
        return made;
    }

    /** Names of the contracts that ran. */
    Set<String> contracts() {
        return new TreeSet<>(contracts.keySet());
    }

    /** Reasons by test method; {@code null} if the contract did not run over the device. */
    @Nullable
    SortedMap<String, String> get(String contract, Lane device) {
        return contracts.getOrDefault(contract, new TreeMap<>()).get(device);
    }

    void put(String contract, Lane device, SortedMap<String, String> reasons) {
        contracts.computeIfAbsent(contract, name -> new TreeMap<>()).put(device, reasons);
    }

    /** The text of the file. */
    String text() {
        StringBuilder text = new StringBuilder();
        try (CSVPrinter out = new CSVPrinter(text, FORMAT)) {
            out.printRecord((Object[]) HEADER);
            for (Map.Entry<String, SortedMap<Lane, SortedMap<String, String>>> contract : contracts.entrySet()) {
                for (Map.Entry<Lane, SortedMap<String, String>> device :
                        contract.getValue().entrySet()) {
                    String name = device.getKey().lowerCase();
                    out.printRecord(contract.getKey(), name, "", "");
                    for (Map.Entry<String, String> test : device.getValue().entrySet()) {
                        out.printRecord(contract.getKey(), name, test.getKey(), test.getValue());
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        }
        return text.toString();
    }
}
