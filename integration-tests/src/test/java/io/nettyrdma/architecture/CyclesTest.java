/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Packages do not know each other in a circle, and inside one only a few types do. */
class CyclesTest {

    /** More than this nobody can keep in mind at once. */
    private static final int MOST_TYPES = 8;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.nettyrdma.rpc");

    @Test
    void packagesOfRpcAreFreeOfCycles() {
        slices().matching("io.nettyrdma.(rpc..)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void cyclesInsidePackagesOfRpcAreSmall() {
        assertThat(circles(CLASSES)).isNotEmpty().allSatisfy(circle -> assertThat(circle)
                .as("types that know each other in a circle")
                .hasSizeLessThanOrEqualTo(MOST_TYPES));
    }

    /** Types of one package each that know each other in a circle, nested ones as part of those around them. */
    private static List<Set<String>> circles(JavaClasses classes) {
        Map<String, Set<String>> known = new TreeMap<>();
        for (JavaClass type : classes) {
            Set<String> others = known.computeIfAbsent(outermost(type), name -> new TreeSet<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass other = dependency.getTargetClass();
                if (other.getPackageName().equals(type.getPackageName())) {
                    others.add(outermost(other));
                }
            }
        }
        return new Circles(known).find();
    }

    private static String outermost(JavaClass type) {
        String name = type.getBaseComponentType().getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** Strongly connected components of more than one type, by Tarjan's algorithm. */
    private static final class Circles {

        private final Map<String, Set<String>> known;
        private final Map<String, Integer> order = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();
        private final List<Set<String>> circles = new ArrayList<>();

        Circles(Map<String, Set<String>> known) {
            this.known = known;
        }

        List<Set<String>> find() {
            for (String type : known.keySet()) {
                if (!order.containsKey(type)) {
                    visit(type);
                }
            }
            return circles;
        }

        /** Returns the earliest of the open types that can be reached from this one. */
        private int visit(String type) {
            final int own = order.size();
            int earliest = own;
            order.put(type, own);
            open.push(type);
            for (String other : known.getOrDefault(type, Set.of())) {
                if (!order.containsKey(other)) {
                    earliest = Math.min(earliest, visit(other));
                } else if (open.contains(other)) {
                    earliest = Math.min(earliest, order.get(other));
                }
            }
            if (earliest == own) {
                close(type);
            }
            return earliest;
        }

        private void close(String first) {
            Set<String> circle = new TreeSet<>();
            String type;
            do {
                type = open.pop();
                circle.add(type);
            } while (!type.equals(first));
            if (circle.size() > 1) {
                circles.add(circle);
            }
        }
    }
}
