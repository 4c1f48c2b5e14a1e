// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** {@link VerbsLayout} and what {@code integration-tests/lab/verbs-layout.c} prints, as maps that can be compared. */
public final class LayoutConstants {

    /** Sizes of which only a part is used: the rest differs between releases or processors. */
    private static final Set<String> PARTS =
            Set.of("IBV_CONTEXT_BYTES", "IBV_DEVICE_BYTES", "IBV_QP_BYTES", "IBV_CQ_BYTES");

    private LayoutConstants() {}

    /** Offsets and sizes in octets, by the name of the constant. */
    public static Map<String, Integer> declared() {
        return Arrays.stream(VerbsLayout.class.getDeclaredFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == int.class)
                .filter(field -> !PARTS.contains(field.getName()))
                .collect(Collectors.toMap(Field::getName, LayoutConstants::value, (a, b) -> a, TreeMap::new));
    }

    private static int value(Field constant) {
        try {
            return constant.getInt(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Offsets and sizes in octets, by the name of the constant.
     *
     * @param lines of a name, a blank and a number
     */
    public static Map<String, Integer> printed(List<String> lines) {
        return lines.stream()
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(
                        parts -> parts[0], parts -> Integer.valueOf(parts[1]), (a, b) -> a, TreeMap::new));
    }
}
