// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.nettyrdma.ends.EndMatrix.Answers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The differences from NIO and epoll that are known: lines {@code CASE | KIND | REASON} of {@code differences.txt},
 * where CASE and KIND are regular expressions that occur in the name of a case and in a kind of difference.
 */
final class EndDifferences {

    private record Known(Pattern name, Pattern kind) {

        boolean covers(Answers answers, String found) {
            return name.matcher(answers.name).find() && kind.matcher(found).find();
        }
    }

    private static final int PARTS = 3;

    private final List<Known> known = new ArrayList<>();

    static EndDifferences read() throws IOException {
        EndDifferences differences = new EndDifferences();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                EndDifferences.class.getResourceAsStream("differences.txt"), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    differences.add(line);
                }
            }
        }
        return differences;
    }

    private void add(String line) {
        String[] parts = line.split(" \\| ", PARTS);
        if (parts.length != PARTS || parts[2].isBlank()) {
            throw new IllegalArgumentException("differences.txt: " + line + " (expected: CASE | KIND | REASON)");
        }
        known.add(new Known(Pattern.compile(parts[0]), Pattern.compile(parts[1])));
    }

    /** The differences without a line, each with its case. */
    List<String> unknown(List<Answers> all) {
        List<String> unknown = new ArrayList<>();
        for (Answers answers : all) {
            for (String element : answers.differences()) {
                String kind = answers.kindOf(element);
                if (known.stream().noneMatch(line -> line.covers(answers, kind))) {
                    unknown.add(answers.name + " | " + kind);
                }
            }
        }
        return unknown;
    }
}
