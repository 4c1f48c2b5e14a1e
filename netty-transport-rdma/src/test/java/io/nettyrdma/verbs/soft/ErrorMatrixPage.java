// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.soft.Stage.Role;
import io.nettyrdma.verbs.soft.Stage.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The error matrix as a page of the test report, written from what was observed. */
final class ErrorMatrixPage {

    private static final Path DIRECTORY = Path.of("target");

    /** What was observed for a violation, and in which circumstances. */
    private record Outcome(String violation, String sent, String application, String reason) {}

    private final Map<Outcome, Set<String>> outcomes = new LinkedHashMap<>();
    private int cases;

    void add(String violation, Role role, Timing timing, String sent, String application, @Nullable String reason) {
        cases++;
        String told = Objects.requireNonNullElse(reason, "orderly end");
        Outcome outcome = new Outcome(
                violation,
                sent.isEmpty() ? "FIN" : sent,
                application,
                // Keys and addresses differ from run to run.
                told.replaceAll("0x[0-9a-f]+", "0x…"));
        outcomes.computeIfAbsent(outcome, o -> new TreeSet<>())
                .add((role + (timing == Timing.LATER ? "" : " " + timing)).toLowerCase(Locale.ROOT));
    }

    void write(String file, String title) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add("# " + title);
        lines.add("");
        lines.add(
                cases + " cases as observed by the tests. The provider was the initiator and the responder; \"sliced\""
                        + " octets came one by one, \"first\" ones in the first FPDU. Whatever it sends, a FIN"
                        + " follows.");
        lines.add("");
        lines.add("| the peer's violation | the provider was | it sends | its requests complete | reason |");
        lines.add("|---|---|---|---|---|");
        outcomes.forEach((o, circumstances) -> lines.add(String.join(
                " | ", "| " + o.violation, String.join(", ", circumstances), o.sent, o.application, o.reason + " |")));
        Files.createDirectories(DIRECTORY);
        Files.write(DIRECTORY.resolve(file), lines);
    }
}
