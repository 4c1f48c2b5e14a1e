// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import io.nettyrdma.conformance.TaggedTest.Outcome;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** Finds the tests that carry ids in compiled classes, run or not: what did not run must be known to be missing. */
final class TaggedTests {

    private static final String LAB = "lab";

    /** Of tests that run in programs of their own where there is a device, and elsewhere over another provider. */
    private static final String NATIVE = "native";

    private TaggedTests() {}

    /** All of a directory of classes, by name, with no outcome yet. */
    static Map<String, TaggedTest> in(Path classes) throws IOException, ClassNotFoundException {
        Map<String, TaggedTest> tests = new TreeMap<>();
        for (Class<?> type : CompiledClasses.in(classes, name -> true)) {
            add(type, tests);
        }
        return tests;
    }

    private static void add(Class<?> type, Map<String, TaggedTest> tests) {
        if (Modifier.isAbstract(type.getModifiers())) {
            return; // its tests run, and count, in the subclasses
        }
        if (CompiledClasses.isTagged(type, NATIVE)) {
            return; // builds of their own run them
        }
        for (Method method : ReflectionSupport.findMethods(
                type, it -> AnnotationSupport.isAnnotated(it, Testable.class), HierarchyTraversalMode.TOP_DOWN)) {
            Set<String> ids = new TreeSet<>();
            AnnotationSupport.findAnnotation(type, Requirement.class).ifPresent(it -> ids.addAll(Set.of(it.value())));
            AnnotationSupport.findAnnotation(method, Requirement.class).ifPresent(it -> ids.addAll(Set.of(it.value())));
            if (!ids.isEmpty()) {
                String name = name(type, method.getName());
                tests.put(
                        name,
                        new TaggedTest(
                                name,
                                CompiledClasses.isTagged(type, LAB) || CompiledClasses.isTagged(method, LAB),
                                Outcome.ABSENT,
                                ids));
            }
        }
    }

    static String name(Class<?> type, String method) {
        return type.getName() + "#" + method;
    }
}
