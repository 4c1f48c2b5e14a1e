// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.nettyrdma.ends.EndMatrix.Answers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts and describes what differs. */
final class EndReport {

    private final List<Answers> all;

    EndReport(List<Answers> all) {
        this.all = all;
    }

    String text(boolean isVerbose) {
        StringBuilder text = new StringBuilder();
        Map<String, List<Answers>> groups = new LinkedHashMap<>();
        all.forEach(answers ->
                groups.computeIfAbsent(answers.group, g -> new ArrayList<>()).add(answers));
        groups.forEach((group, members) -> {
            text.append("\n== ").append(group).append(": ");
            text.append(members.stream().filter(a -> a.differences().isEmpty()).count());
            text.append(" of ").append(members.size()).append(" cases as NIO or epoll ==\n");
            describeKinds(members, text);
            describeUnstable(members, text);
        });
        if (isVerbose) {
            all.forEach(answers -> describe(answers, text));
        }
        return text.toString();
    }

    private static void describeKinds(List<Answers> members, StringBuilder text) {
        Map<String, List<Answers>> kinds = new LinkedHashMap<>();
        for (Answers answers : members) {
            for (String element : answers.differences()) {
                kinds.computeIfAbsent(answers.kindOf(element), k -> new ArrayList<>())
                        .add(answers);
            }
        }
        List<String> byCount = new ArrayList<>(kinds.keySet());
        byCount.sort(Comparator.comparingInt(kind -> -kinds.get(kind).size()));
        for (String kind : byCount) {
            List<Answers> cases = kinds.get(kind);
            Answers example = cases.get(0);
            String element = kind.substring(0, kind.indexOf(':'));
            text.append(String.format("%4d  %s%n", cases.size(), kind));
            text.append("        ").append(example.name).append(": ");
            text.append(values(example, element)).append('\n');
        }
    }

    private static String values(Answers answers, String element) {
        List<String> values = new ArrayList<>();
        answers.outcomes.forEach((kind, outcomes) -> values.add(kind + " "
                + String.join(
                        " | ",
                        outcomes.stream().map(o -> o.value(element)).distinct().toList())));
        return String.join(" / ", values);
    }

    private static void describeUnstable(List<Answers> members, StringBuilder text) {
        Map<String, List<String>> unstable = new TreeMap<>();
        for (Answers answers : members) {
            answers.unstable().forEach(element -> unstable.computeIfAbsent(element, e -> new ArrayList<>())
                    .add(answers.name + ": " + values(answers, element)));
        }
        unstable.forEach((element, cases) -> text.append(
                String.format("   not repeated by ours: %s, %d cases, as %s%n", element, cases.size(), cases.get(0))));
    }

    private static void describe(Answers answers, StringBuilder text) {
        text.append(answers.differences().isEmpty() ? "\nequal  " : "\nDIFFERS ")
                .append(answers.name)
                .append('\n');
        answers.differences().forEach(element -> text.append("    ")
                .append(answers.kindOf(element))
                .append("\n        ")
                .append(values(answers, element))
                .append('\n'));
        answers.outcomes.forEach((kind, outcomes) ->
                text.append("      ").append(kind).append(outcomes.get(0)).append('\n'));
    }
}
