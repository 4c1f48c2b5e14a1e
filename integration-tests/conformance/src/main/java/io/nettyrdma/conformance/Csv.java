// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** The three hand-written or kept files beside this module's POM. */
final class Csv {

    private static final CSVFormat FORMAT = CSVFormat.RFC4180
            .builder()
            .setHeader()
            .setSkipHeaderRecord(true)
            .setRecordSeparator('\n')
            .get();

    private Csv() {}

    /** All requirements, in the order of the file. */
    static List<RequirementRow> requirements(Path file) throws IOException {
        return read(file).stream()
                .map(it -> new RequirementRow(it.get("id"), it.get("level"), it.get("role")))
                .toList();
    }

    /** Hand-written statuses: {@code ids,status,reason}, where ids is one id or a range {@code V1-036..V1-047}. */
    static List<StatusLine> statuses(Path file) throws IOException {
        return read(file).stream()
                .map(it -> StatusLine.parse(it.get("ids"), it.get("status"), it.get("reason")))
                .toList();
    }

    /** The tests of the lab that passed when it last ran, with their ids then. */
    static Map<String, Set<String>> lab(Path file) throws IOException {
        Map<String, Set<String>> tests = new TreeMap<>();
        for (CSVRecord it : read(file)) {
            tests.put(it.get("test"), new TreeSet<>(List.of(it.get("ids").split(" "))));
        }
        return tests;
    }

    static String labText(Collection<TaggedTest> tests) {
        StringBuilder out = new StringBuilder("test,ids\n");
        for (TaggedTest test : tests) {
            out.append(test.name())
                    .append(',')
                    .append(String.join(" ", test.ids()))
                    .append('\n');
        }
        return out.toString();
    }

    private static List<CSVRecord> read(Path file) throws IOException {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8);
                CSVParser parser = FORMAT.parse(reader)) {
            return parser.getRecords();
        }
    }
}
