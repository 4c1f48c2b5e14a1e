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
package io.nettyrdma.contracts;

import io.nettyrdma.conformance.CompiledClasses;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds contracts in compiled classes, and the classes of tests that run them. */
final class ContractClasses {

    private static final String SUFFIX = "Contract";

    /** A contract: the classes that run it by lane, and why there is none for a lane. */
    record Contract(Map<Lane, Class<?>> tests, Map<Lane, String> absent) {}

    private ContractClasses() {}

    /** Returns the contract that a class of tests runs: its nearest superclass with such a name, or {@code null}. */
    static @Nullable Class<?> contractOf(Class<?> test) {
        Class<?> type = test.getSuperclass();
        while (type != null && !type.getSimpleName().endsWith(SUFFIX)) {
            type = type.getSuperclass();
        }
        return type;
    }

    /** All contracts of a directory of classes, by simple name. */
    static Map<String, Contract> in(Path classes) throws IOException, ClassNotFoundException {
        Map<String, Contract> contracts = new TreeMap<>();
        for (Class<?> test : CompiledClasses.in(classes, name -> name.endsWith("Test"))) {
            Class<?> type = contractOf(test);
            if (type != null && !Modifier.isAbstract(test.getModifiers())) {
                Contract contract = contracts.computeIfAbsent(
                        type.getSimpleName(),
                        name -> new Contract(new EnumMap<>(Lane.class), new EnumMap<>(Lane.class)));
                Lane.of(test).forEach(lane -> contract.tests().put(lane, test));
                for (NotOver missing : type.getAnnotationsByType(NotOver.class)) {
                    for (Lane lane : missing.value()) {
                        contract.absent().put(lane, missing.reason());
                    }
                }
            }
        }
        return contracts;
    }
}
