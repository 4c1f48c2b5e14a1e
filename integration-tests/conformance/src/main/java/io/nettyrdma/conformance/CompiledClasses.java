// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.platform.commons.support.AnnotationSupport;

/** Finds the compiled classes of a module. */
public final class CompiledClasses {

    private static final String SUFFIX = ".class";

    private CompiledClasses() {}

    /**
     * Returns classes of a directory, loaded and not initialized, in the order of their files; none if there is no such
     * directory.
     *
     * @param isWanted whether a class is loaded, by its binary name
     */
    public static List<Class<?>> in(Path directory, Predicate<String> isWanted)
            throws IOException, ClassNotFoundException {
        List<Class<?>> classes = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            return classes;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file :
                    (Iterable<Path>) files.filter(CompiledClasses::isClass).sorted()::iterator) {
                String path = directory
                        .relativize(file)
                        .toString()
                        .replace(directory.getFileSystem().getSeparator(), ".");
                String name = path.substring(0, path.length() - SUFFIX.length());
                if (isWanted.test(name)) {
                    classes.add(
                            Class.forName(name, false, Thread.currentThread().getContextClassLoader()));
                }
            }
        }
        return classes;
    }

    /** Returns whether a class or method has a tag of JUnit, its own, inherited, or that of an annotation. */
    public static boolean isTagged(AnnotatedElement element, String tag) {
        return AnnotationSupport.findRepeatableAnnotations(element, Tag.class).stream()
                .anyMatch(found -> found.value().equals(tag));
    }

    private static boolean isClass(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(SUFFIX) && !name.equals("package-info.class") && !name.equals("module-info.class");
    }
}
