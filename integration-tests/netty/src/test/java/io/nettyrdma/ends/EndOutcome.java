// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What one transport answered to one question: elements by name. */
final class EndOutcome {

    private static final long[] BOUNDS_MILLIS = {400, 1500, 5000, 20_000};

    /** Times in different orders of magnitude count as equal if they are as close as this. */
    private static final long NEAR_MILLIS = 400;

    private final Map<String, String> elements = new LinkedHashMap<>();
    private final Map<String, Long> millis = new LinkedHashMap<>();

    void put(String element, String value) {
        elements.put(element, value);
    }

    /** Adds a time, or -1 for never. */
    void putMillis(String element, long value) {
        millis.put(element, value);
        elements.put(element, magnitude(value));
    }

    void putBytes(long received, long wrong, long expected) {
        String share = received == expected ? "all" : received == 0 ? "none" : received < expected ? "some" : "more";
        elements.put("bytes", share + " " + received + (wrong > 0 ? " WRONG" : ""));
    }

    private static String magnitude(long value) {
        for (long bound : BOUNDS_MILLIS) {
            if (value < bound) {
                return value < 0 ? "never" : "< " + bound / 1000.0 + " s";
            }
        }
        return "later";
    }

    String value(String element) {
        return elements.getOrDefault(element, "absent");
    }

    /** The value without what differs from run to run by nature: how many bytes of a part. */
    private String comparable(String element) {
        String value = value(element);
        return element.equals("bytes") ? value.replaceAll("some \\d+", "some") : value;
    }

    private boolean agrees(String element, EndOutcome other) {
        if (comparable(element).equals(other.comparable(element))) {
            return true;
        }
        Long mine = millis.get(element);
        Long theirs = other.millis.get(element);
        return mine != null && theirs != null && mine >= 0 && theirs >= 0 && Math.abs(mine - theirs) < NEAR_MILLIS;
    }

    /** The elements in which not all of these outcomes agree. */
    static Set<String> unstable(List<EndOutcome> outcomes) {
        return differing(outcomes, outcomes);
    }

    /** The elements in which not all of these outcomes agree with the first of the others. */
    static Set<String> differing(List<EndOutcome> reference, List<EndOutcome> ours) {
        EndOutcome first = reference.get(0);
        Set<String> differing = new LinkedHashSet<>();
        for (EndOutcome other : ours) {
            Set<String> names = new LinkedHashSet<>(first.elements.keySet());
            names.addAll(other.elements.keySet());
            names.removeIf(name -> first.agrees(name, other));
            differing.addAll(names);
        }
        return differing;
    }

    /** Says in a few words, which do for many cases, what differs in an element. */
    static String kind(String element, EndOutcome reference, EndOutcome ours) {
        String before = reference.comparable(element);
        String after = ours.comparable(element);
        if (!element.endsWith("events")) {
            return element + ": " + (before + " -> " + after).replaceAll(" \\d+(?= |$)", "");
        }
        List<String> missing = new ArrayList<>(List.of(before.split(" ")));
        List<String> added = new ArrayList<>();
        for (String event : after.split(" ")) {
            if (!missing.remove(event)) {
                added.add(event);
            }
        }
        if (missing.isEmpty() && added.isEmpty()) {
            return element + ": order";
        }
        return element
                + ":"
                + (missing.isEmpty() ? "" : " without " + String.join(" ", missing))
                + (added.isEmpty() ? "" : " with " + String.join(" ", added));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        elements.forEach((element, value) ->
                text.append("\n        ").append(element).append(": ").append(value));
        return text.toString();
    }
}
