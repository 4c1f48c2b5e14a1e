// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packages depend on each other in one direction only, and few types of one package in a circle. */
class CyclesTest {

    private static final int MAX_TYPES = 8;
    private static final Pattern TYPE_NAME = Pattern.compile("class (\\w+)");

    @TempDir
    Path directory;

    /** The cycles of packages, each as a text. */
    private static List<String> packageCycles(JavaClasses classes) {
        return DependencyGraph.ofTypes(classes).packages().cycles().stream()
                .map(cycle -> cycle.describePackages())
                .toList();
    }

    /** The cycles inside one package of too many types, each as a text. */
    private static List<String> typeCycles(JavaClasses classes) {
        return DependencyGraph.ofTypes(classes).withinPackages().cycles().stream()
                .filter(cycle -> cycle.size() > MAX_TYPES)
                .map(cycle -> cycle.describeTypes())
                .toList();
    }

    private static void assertNone(List<String> cycles) {
        if (!cycles.isEmpty()) {
            fail(String.join("\n", cycles));
        }
    }

    @Test
    void noCycleOfPackages() {
        assertNone(packageCycles(ProjectClasses.ALL));
    }

    @Test
    void noCycleOfManyTypesInsideAPackage() {
        assertNone(typeCycles(ProjectClasses.ALL));
    }

    @Test
    void allModulesAreLookedAt() {
        DependencyGraph packages = DependencyGraph.ofTypes(ProjectClasses.ALL).packages();
        assertThat(packages.size()).isGreaterThan(15);
        assertThat(packages.arrows()).isGreaterThan(20);
        assertThat(DependencyGraph.ofTypes(ProjectClasses.LIBRARIES).size()).isGreaterThan(200);
    }

    /** Compiles types, each given as its package, a space, and its text. */
    private JavaClasses compiled(String... types) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", directory.toString()));
        for (String type : types) {
            String[] parts = type.split(" ", 2);
            Matcher name = TYPE_NAME.matcher(parts[1]);
            assertThat(name.find()).as(type).isTrue();
            Path file = directory.resolve(name.group(1) + ".java");
            Files.writeString(file, "package " + parts[0] + "; " + parts[1]);
            arguments.add(file.toString());
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        return new ClassFileImporter().importPath(directory);
    }

    @Test
    void cycleOfPackagesIsFoundAndShownWithItsPlaces() throws IOException {
        JavaClasses classes = compiled(
                "p.a public class A { p.b.B b; }",
                "p.b public class B { static class Nested { void f() { p.c.C.call(); } } }",
                "p.c public class C { public static void call() { new p.a.A(); } }",
                "p.d public class D { p.a.A a; }");
        assertThat(packageCycles(classes))
                .singleElement()
                .asString()
                .isEqualTo(
                        """
                3 in a cycle, shortest of p.a: p.a -> p.b -> p.c -> p.a
                  p.a -> p.b A -> B (A.java:0)
                  p.b -> p.c B -> C (B.java:1)
                  p.c -> p.a C -> A (C.java:1)
                """);
    }

    /** As many types as asked for, of which each needs the next one by what is nested in it, the last the first. */
    private static String[] ring(int types) {
        String[] sources = new String[types];
        for (int i = 0; i < types; i++) {
            sources[i] = "p.ring class R" + i + " { static class Nested { R" + (i + 1) % types + " next; } }";
        }
        return sources;
    }

    @Test
    void cycleOfTooManyTypesIsFoundAndShown() throws IOException {
        assertThat(typeCycles(compiled(ring(MAX_TYPES + 1))))
                .singleElement()
                .asString()
                .startsWith("p.ring: 9 in a cycle, shortest of R0: R0 -> R1 -> R2 -> R3 -> ")
                .contains("R7 -> R8 -> R0\n")
                .contains("R8 -> R0 (");
    }

    @Test
    void cycleOfAFewTypesIsNone() throws IOException {
        assertThat(typeCycles(compiled(ring(MAX_TYPES)))).isEmpty();
    }

    @Test
    void typesBesideACycleAreNotInIt() throws IOException {
        assertThat(DependencyGraph.ofTypes(
                                compiled("p.x class A { B b; C c; }", "p.x class B { A a; }", "p.x class C { int i; }"))
                        .withinPackages()
                        .cycles())
                .singleElement()
                .extracting(DependencyGraph::size)
                .isEqualTo(2);
    }
}
