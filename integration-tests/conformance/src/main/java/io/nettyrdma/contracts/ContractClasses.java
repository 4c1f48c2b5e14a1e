// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.contracts;

import io.nettyrdma.conformance.CompiledClasses;
import io.nettyrdma.conformance.Lane;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Finds contracts in compiled classes: those with the tag {@code contract}. */
final class ContractClasses {

    /** A contract: the class with its tests, and why it does not run over some lanes. */
    record Contract(Class<?> tests, Map<Lane, String> absent) {}

    private ContractClasses() {}

    static boolean isContract(Class<?> type) {
        return !Modifier.isAbstract(type.getModifiers()) && CompiledClasses.isTagged(type, "contract");
    }

    /** All contracts of a directory of classes, by simple name. */
    static Map<String, Contract> in(Path classes) throws IOException, ClassNotFoundException {
        Map<String, Contract> contracts = new TreeMap<>();
        for (Class<?> type : CompiledClasses.in(classes, name -> name.endsWith("Test"))) {
            if (isContract(type)) {
                Map<Lane, String> absent = new EnumMap<>(Lane.class);
                for (NotOver missing : type.getAnnotationsByType(NotOver.class)) {
                    for (Lane lane : missing.value()) {
                        absent.put(lane, missing.reason());
                    }
                }
                contracts.put(type.getSimpleName(), new Contract(type, absent));
            }
        }
        return contracts;
    }
}
