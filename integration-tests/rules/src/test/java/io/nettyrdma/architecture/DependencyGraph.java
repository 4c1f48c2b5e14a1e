// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Who depends on whom, with one place in the code for each arrow. What is nested belongs to the type it stands in; what
 * the compiler puts in place, such as the value of a constant, is no dependency.
 */
final class DependencyGraph {

    /** From, to, and a place in the code. */
    private final Map<String, Map<String, String>> arrows;

    private DependencyGraph(Map<String, Map<String, String>> arrows) {
        this.arrows = arrows;
    }

    /** The top-level types among some classes. */
    static DependencyGraph ofTypes(Iterable<JavaClass> classes) {
        Set<String> types = new TreeSet<>();
        classes.forEach(type -> types.add(outermost(type)));
        Map<String, Map<String, String>> arrows = new TreeMap<>();
        for (JavaClass type : classes) {
            Map<String, String> targets = arrows.computeIfAbsent(outermost(type), key -> new TreeMap<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String target = outermost(dependency.getTargetClass().getBaseComponentType());
                if (types.contains(target) && !target.equals(outermost(type))) {
                    targets.putIfAbsent(
                            target, dependency.getSourceCodeLocation().toString());
                }
            }
        }
        return new DependencyGraph(arrows);
    }

    private static String outermost(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static String packageOf(String type) {
        return type.substring(0, type.lastIndexOf('.'));
    }

    /** The packages of these types. */
    DependencyGraph packages() {
        Map<String, Map<String, String>> merged = new TreeMap<>();
        arrows.forEach((from, targets) -> {
            Map<String, String> packages = merged.computeIfAbsent(packageOf(from), key -> new TreeMap<>());
            targets.forEach((to, place) -> {
                if (!packageOf(to).equals(packageOf(from))) {
                    packages.putIfAbsent(packageOf(to), simple(from) + " -> " + simple(to) + " " + place);
                }
            });
        });
        return new DependencyGraph(merged);
    }

    /** The same types, and only the arrows that stay in one package. */
    DependencyGraph withinPackages() {
        return new DependencyGraph(kept((from, to) -> packageOf(from).equals(packageOf(to)), arrows.keySet()));
    }

    private interface Filter {
        boolean keeps(String from, String to);
    }

    private Map<String, Map<String, String>> kept(Filter filter, Set<String> nodes) {
        Map<String, Map<String, String>> kept = new TreeMap<>();
        for (String from : nodes) {
            Map<String, String> targets = new TreeMap<>(arrows.getOrDefault(from, Map.of()));
            targets.keySet().removeIf(to -> !filter.keeps(from, to));
            kept.put(from, targets);
        }
        return kept;
    }

    int size() {
        return arrows.size();
    }

    /** How many arrows there are. */
    int arrows() {
        return arrows.values().stream().mapToInt(Map::size).sum();
    }

    /** The sets of nodes each of which reaches all others of its set, those of two or more, largest first. */
    List<DependencyGraph> cycles() {
        return new Components()
                .found.stream()
                        .filter(nodes -> nodes.size() > 1)
                        .sorted(Comparator.comparingInt(nodes -> -nodes.size()))
                        .map(nodes -> new DependencyGraph(kept((from, to) -> nodes.contains(to), nodes)))
                        .toList();
    }

    /** The strongly connected components, by Tarjan's algorithm. */
    private final class Components {
        final List<Set<String>> found = new ArrayList<>();
        private final Map<String, Integer> numbers = new HashMap<>();
        private final Map<String, Integer> lowest = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();

        Components() {
            for (String node : arrows.keySet()) {
                if (!numbers.containsKey(node)) {
                    visit(node);
                }
            }
        }

        private void visit(String node) {
            int number = numbers.size();
            numbers.put(node, number);
            lowest.put(node, number);
            open.push(node);
            for (String target : arrows.getOrDefault(node, Map.of()).keySet()) {
                if (!numbers.containsKey(target)) {
                    visit(target);
                    lowest.merge(node, lowest.get(target), Math::min);
                } else if (open.contains(target)) {
                    lowest.merge(node, numbers.get(target), Math::min);
                }
            }
            if (lowest.get(node) == number) {
                Set<String> component = new TreeSet<>();
                while (component.add(open.peek()) && !open.pop().equals(node)) {}
                found.add(component);
            }
        }
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** A cycle of packages: a shortest way from one back to it, and every arrow with a place, which one could cut. */
    String describePackages() {
        return describe("", UnaryOperator.identity());
    }

    /** A cycle of types of one package, in the same form. */
    String describeTypes() {
        return describe(packageOf(arrows.keySet().iterator().next()) + ": ", DependencyGraph::simple);
    }

    private String describe(String begin, UnaryOperator<String> name) {
        String first = arrows.keySet().iterator().next();
        String way = String.join(" -> ", wayBackTo(first).stream().map(name).toList());
        StringBuilder text = new StringBuilder(begin)
                .append(String.format("%d in a cycle, shortest of %s: %s%n", size(), name.apply(first), way));
        arrows.forEach((from, targets) -> targets.forEach(
                (to, place) -> text.append(String.format("  %s -> %s %s%n", name.apply(from), name.apply(to), place))));
        return text.toString();
    }

    private List<String> wayBackTo(String node) {
        Map<String, String> from = new HashMap<>();
        Deque<String> next = new ArrayDeque<>(List.of(node));
        while (!from.containsKey(node)) {
            String at = next.remove();
            for (String target : arrows.get(at).keySet()) {
                if (from.putIfAbsent(target, at) == null) {
                    next.add(target);
                }
            }
        }
        List<String> way = new ArrayList<>(List.of(node));
        for (String at = from.get(node); !at.equals(node); at = from.get(at)) {
            way.add(at);
        }
        way.add(node);
        Collections.reverse(way);
        return way;
    }
}
