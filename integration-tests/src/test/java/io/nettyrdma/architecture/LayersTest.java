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

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The layers, top to bottom: examples, rpc handlers, rpc engine, rpc wire, channels, verbs, software provider, iWARP. */
class LayersTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.nettyrdma");

    @Test
    void wireKnowsNeitherEngineNorHandlersNorChannels() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc.wire")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.rpc", "io.nettyrdma.rpc.engine", "io.nettyrdma.channel", "io.netty.channel..")
                .check(CLASSES);
    }

    @Test
    void bindingsKnowOnlyMessages() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc.binding")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.rpc",
                        "io.nettyrdma.rpc.engine",
                        "io.nettyrdma.rpc.wire",
                        "io.nettyrdma.channel",
                        "io.netty.channel..",
                        "java.nio.channels..",
                        "java.net..")
                .check(CLASSES);
    }

    @Test
    void engineDoesNoInputOrOutput() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc.engine")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.rpc",
                        "io.nettyrdma.channel",
                        "io.netty.channel..",
                        "java.nio.channels..",
                        "java.net..")
                .check(CLASSES);
    }

    @Test
    void rpcKnowsNoVerbsAndNoProviders() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.verbs..", "com.ibm.disni..")
                .check(CLASSES);
    }

    @Test
    void onlyMetricsKnowMicrometer() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.nettyrdma.rpc.metrics")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..")
                .check(CLASSES);
    }

    @Test
    void metricsKnowOnlyTheListener() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc.metrics")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.rpc.engine",
                        "io.nettyrdma.rpc.binding",
                        "io.nettyrdma.channel",
                        "io.netty.buffer")
                .check(CLASSES);
    }

    @Test
    void nobodyNeedsMetrics() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.nettyrdma.rpc.metrics")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.rpc.metrics")
                .check(CLASSES);
    }

    @Test
    void channelsKnowNoRpcAndNoProvider() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.channel")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.rpc..", "io.nettyrdma.verbs.soft..", "io.nettyrdma.verbs.disni..")
                .check(CLASSES);
    }

    @Test
    void seamKnowsNoProvider() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.verbs")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.verbs.*..")
                .check(CLASSES);
    }

    @Test
    void providersKnowNoOtherProvider() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.verbs.soft..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.verbs.disni..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.verbs.disni..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.verbs.soft..")
                .check(CLASSES);
    }

    @Test
    void providersKnowNoChannels() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.verbs..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.channel", "io.nettyrdma.rpc..", "io.netty.channel..")
                .check(CLASSES);
    }

    @Test
    void iwarpFormatsKnowNoVerbsAndNoSockets() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.verbs.soft.iwarp")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.verbs",
                        "io.nettyrdma.verbs.soft",
                        "io.nettyrdma.verbs.soft.rdmap",
                        "com.ibm.disni..",
                        "java.nio.channels..")
                .check(CLASSES);
    }

    @Test
    void protocolCoreKnowsNoDisniNoSocketsAndNoClock() {
        classes()
                .that()
                .resideInAPackage("io.nettyrdma.verbs.soft.rdmap")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.verbs.soft.rdmap",
                        "io.nettyrdma.verbs.soft.iwarp",
                        "java.lang..",
                        "java.io",
                        "java.nio",
                        "java.security",
                        "java.util..",
                        "org.jspecify..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.verbs.soft.rdmap")
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLASSES);
    }

    @Test
    void internalsKnowNothingElse() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.internal")
                .should()
                .dependOnClassesThat(resideInAPackage("io.nettyrdma..")
                        .and(resideOutsideOfPackage("io.nettyrdma.internal"))
                        .as("are of this project"))
                .check(CLASSES);
    }

    @Test
    void protocolOfNfsKnowsNeitherItsEndsNorTheCommands() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.examples.nfs.protocol")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.examples", "io.nettyrdma.examples.nfs.client", "io.nettyrdma.examples.nfs.server")
                .check(CLASSES);
    }

    @Test
    void clientOfNfsKnowsNeitherServerNorCommands() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.examples.nfs.client")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.examples", "io.nettyrdma.examples.nfs.server")
                .check(CLASSES);
    }

    @Test
    void whatGuardsTheExamplesKnowsNoneOfThem() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.examples.guard")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.examples", "io.nettyrdma.examples.nfs..")
                .check(CLASSES);
    }

    @Test
    void serverOfNfsKnowsNeitherClientNorCommands() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.examples.nfs.server")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.examples", "io.nettyrdma.examples.nfs.client")
                .check(CLASSES);
    }

    @Test
    void librariesStayOffUnsafe() {
        classes()
                .that()
                .resideInAPackage("io.nettyrdma..")
                .should()
                .onlyDependOnClassesThat()
                .resideOutsideOfPackages("sun..", "jdk.internal..")
                .check(CLASSES);
    }
}
