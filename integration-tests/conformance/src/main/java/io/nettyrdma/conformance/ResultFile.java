// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The tagged tests of one module, over one provider in a file: a line that names the build, then per test its name,
 * outcome, {@code lab} or {@code -}, and its ids.
 *
 * @param build which build has run the tests; results of another one prove nothing about this code
 */
record ResultFile(String build, Collection<TaggedTest> tests) {

    static final String DIRECTORY = "conformance";

    /** The results of a build over all providers that the module was tested over; nothing if there are none. */
    static ResultFile readAll(Path directory, String build) throws IOException {
        Map<String, TaggedTest> tests = new LinkedHashMap<>();
        boolean ran = false;
        for (Lane lane : Lane.values()) {
            ResultFile results = read(file(directory, lane));
            if (results.build.equals(build)) {
                ran = true;
                results.tests.forEach(test -> tests.merge(test.name(), test, (one, other) -> one.and(other.outcome())));
            }
        }
        return new ResultFile(ran ? build : "", tests.values());
    }

    static Path file(Path directory, Lane lane) {
        return directory.resolve(DIRECTORY).resolve(lane.lowerCase() + ".tsv");
    }

    /** Results of nothing at all if there is no such file. */
    static ResultFile read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return new ResultFile("", List.of());
        }
        List<String> lines = Files.readAllLines(file);
        return new ResultFile(
                lines.get(0), lines.stream().skip(1).map(ResultFile::parse).toList());
    }

    private static TaggedTest parse(String line) {
        String[] fields = line.split("\t");
        Set<String> ids = new TreeSet<>(List.of(fields[3].split(",")));
        return new TaggedTest(fields[0], fields[2].equals("lab"), TaggedTest.Outcome.valueOf(fields[1]), ids);
    }

    /** Adds the outcomes of an earlier run of the same build; a test that has run again has its new outcome. */
    ResultFile and(ResultFile earlier) {
        if (!build.equals(earlier.build)) {
            return this;
        }
        Map<String, TaggedTest> merged = new TreeMap<>();
        tests.forEach(test -> merged.put(test.name(), test));
        earlier.tests.forEach(test -> merged.merge(
                test.name(), test, (later, before) -> later.outcome() == TaggedTest.Outcome.ABSENT ? before : later));
        return new ResultFile(build, merged.values());
    }

    /**
     * Adds these outcomes to those in {@code file}. Several virtual machines that run the tests of one module may do so
     * at the same time.
     */
    void addTo(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Path lock = file.resolveSibling(file.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock(); // until it is closed
            and(read(file)).write(file);
        }
    }

    void write(Path file) throws IOException {
        StringBuilder out = new StringBuilder(build).append('\n');
        for (TaggedTest test : tests) {
            out.append(String.join(
                            "\t",
                            test.name(),
                            test.outcome().name(),
                            test.lab() ? "lab" : "-",
                            String.join(",", test.ids())))
                    .append('\n');
        }
        Files.createDirectories(file.getParent());
        Files.writeString(file, out);
    }
}
