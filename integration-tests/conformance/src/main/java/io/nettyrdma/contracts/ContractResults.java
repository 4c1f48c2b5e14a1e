// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tests of one class that do not apply to its provider. In a file of their own: a line that names the build, then
 * per test its method and the reason, with a tab between.
 *
 * @param build   the build that has run the class
 * @param reasons by method
 */
record ContractResults(String build, SortedMap<String, String> reasons) {

    /** Below the directory of a build, with a directory for each lane. */
    static final String DIRECTORY = "contracts";

    ContractResults(String build, Map<String, String> reasons) {
        this(build, new TreeMap<>(reasons));
    }

    private static Path file(Path directory, Class<?> test) {
        return directory.resolve(test.getSimpleName() + ".tsv");
    }

    /** What a class left behind in {@code directory}; {@code null} if there is nothing of this build. */
    static @Nullable ContractResults read(Path directory, Class<?> test, String build) throws IOException {
        Path file = file(directory, test);
        if (!Files.exists(file)) {
            return null;
        }
        List<String> lines = Files.readAllLines(file);
        SortedMap<String, String> reasons = new TreeMap<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split("\t", 2);
            reasons.put(fields[0], fields[1]);
        }
        return lines.get(0).equals(build) ? new ContractResults(build, reasons) : null;
    }

    void write(Path directory, Class<?> test) throws IOException {
        StringBuilder text = new StringBuilder(build).append('\n');
        reasons.forEach((method, reason) ->
                text.append(method).append('\t').append(reason).append('\n'));
        Files.createDirectories(directory);
        Files.writeString(file(directory, test), text);
    }
}
