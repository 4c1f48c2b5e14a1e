// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.util.Date;
import java.util.List;
import java.util.Timer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The arrows of the map in CONTRIBUTING.md. */
class LayersTest {

    private static final String[] PROVIDERS = {
        "io.nettyrdma.verbs.soft..", "io.nettyrdma.verbs.disni..", "io.nettyrdma.verbs.ffm.."
    };

    private static final JavaClasses CLASSES = ProjectClasses.ALL;

    @Test
    void rpcMessagesKnowNothingElse() {
        rpcPackage("message", "io.nettyrdma.rpc.message");
    }

    @Test
    void wireKnowsOnlyMessages() {
        rpcPackage("wire..", "io.nettyrdma.rpc.wire..", "io.nettyrdma.rpc.message");
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc.wire")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.rpc.wire.*..")
                .check(CLASSES);
        doesNoInputOrOutput("io.nettyrdma.rpc.wire..");
    }

    @Test
    void modelOfHeadersKnowsNothingElse() {
        rpcPackage("wire.header", "io.nettyrdma.rpc.wire.header");
    }

    @Test
    void whatVersionsShareKnowsNoVersion() {
        rpcPackage(
                "wire.codec",
                "io.nettyrdma.rpc.wire.codec",
                "io.nettyrdma.rpc.wire.header",
                "io.nettyrdma.rpc.wire",
                "io.nettyrdma.rpc.message");
    }

    @Test
    void versionsKnowNoOtherVersion() {
        rpcPackage(
                "wire.v1",
                "io.nettyrdma.rpc.wire.v1",
                "io.nettyrdma.rpc.wire.codec",
                "io.nettyrdma.rpc.wire.header",
                "io.nettyrdma.rpc.wire",
                "io.nettyrdma.rpc.message");
        rpcPackage(
                "wire.v2",
                "io.nettyrdma.rpc.wire.v2",
                "io.nettyrdma.rpc.wire.codec",
                "io.nettyrdma.rpc.wire.header",
                "io.nettyrdma.rpc.wire",
                "io.nettyrdma.rpc.message");
    }

    @Test
    void onlyLinksKnowAVersion() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.nettyrdma.rpc.wire.v1", "io.nettyrdma.rpc.version1", "io.nettyrdma.rpc.version2")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.rpc.wire.v1")
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackages("io.nettyrdma.rpc.wire.v2", "io.nettyrdma.rpc.version2")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.rpc.wire.v2")
                .check(CLASSES);
    }

    /** Version 1 is whole without the packages of version 2 and the line that chooses them. */
    @Test
    void onlyItsConfigurationKnowsVersion2() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.nettyrdma.rpc.version2")
                .and()
                .doNotHaveFullyQualifiedName("io.nettyrdma.rpc.RpcRdmaVersion2Settings")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.rpc.version2")
                .check(CLASSES);
    }

    @Test
    void bindingsKnowOnlyMessages() {
        rpcPackage("binding", "io.nettyrdma.rpc.binding", "io.nettyrdma.rpc.message");
        doesNoInputOrOutput("io.nettyrdma.rpc.binding");
    }

    @Test
    void engineDoesNoInputOrOutput() {
        rpcPackage(
                "engine",
                "io.nettyrdma.rpc.engine",
                "io.nettyrdma.rpc.error",
                "io.nettyrdma.rpc.binding",
                "io.nettyrdma.rpc.wire..",
                "io.nettyrdma.rpc.message");
        doesNoInputOrOutput("io.nettyrdma.rpc.engine");
    }

    @Test
    void exceptionsKnowNothingOfTheWire() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc.error")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.rpc.wire..")
                .check(CLASSES);
    }

    @Test
    void observersKnowNeitherEnginesNorHandlers() {
        rpcPackage(
                "observe",
                "io.nettyrdma.rpc.observe",
                "io.nettyrdma.rpc.binding",
                "io.nettyrdma.rpc.error",
                "io.nettyrdma.rpc.wire");
    }

    @Test
    void authenticationKnowsOnlyRolesAndErrors() {
        rpcPackage(
                "authentication",
                "io.nettyrdma.rpc.authentication",
                "io.nettyrdma.rpc.observe",
                "io.nettyrdma.rpc.error");
    }

    @Test
    void rolesAndVersion2KnowNeitherEachOtherNorTheHandlers() {
        List<String> side = List.of("requester", "responder", "version2");
        for (String one : side) {
            noClasses()
                    .that()
                    .resideInAPackage("io.nettyrdma.rpc." + one)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(Stream.concat(
                                    Stream.of("io.nettyrdma.rpc"),
                                    side.stream()
                                            .filter(other -> !other.equals(one))
                                            .map(other -> "io.nettyrdma.rpc." + other))
                            .toArray(String[]::new))
                    .check(CLASSES);
        }
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
                .resideOutsideOfPackages("io.nettyrdma.rpc.metrics", "io.nettyrdma.metrics", "io.nettyrdma.examples..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..")
                .check(CLASSES);
    }

    @Test
    void metricsKnowOnlyTheListener() {
        rpcPackage(
                "metrics",
                "io.nettyrdma.rpc.metrics",
                "io.nettyrdma.rpc.observe",
                "io.nettyrdma.rpc.error",
                "io.nettyrdma.rpc.wire");
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc.metrics")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.channel", "io.netty.buffer")
                .check(CLASSES);
    }

    @Test
    void nobodyNeedsMetrics() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.nettyrdma.rpc.metrics", "io.nettyrdma.metrics", "io.nettyrdma.examples..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.rpc.metrics", "io.nettyrdma.metrics")
                .check(CLASSES);
    }

    private static final String[] CHANNELS = {
        "io.nettyrdma.engine", "io.nettyrdma.channel", "io.nettyrdma.socket", "io.nettyrdma.flow"
    };

    @Test
    void channelsKnowNoRpcAndNoProvider() {
        noClasses()
                .that()
                .resideInAnyPackage(CHANNELS)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.rpc..")
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage(PROVIDERS)
                .check(CLASSES);
    }

    @Test
    void engineKnowsNoKindOfChannel() {
        knowsNone("io.nettyrdma.engine", "io.nettyrdma.channel", "io.nettyrdma.socket", "io.nettyrdma.flow..");
    }

    @Test
    void kindsOfChannelsDoNotKnowEachOther() {
        knowsNone("io.nettyrdma.channel", "io.nettyrdma.socket", "io.nettyrdma.stream");
        knowsNone("io.nettyrdma.socket", "io.nettyrdma.channel");
    }

    /** A channel without flow control pays nothing for it. */
    @Test
    void onlyFlowControlKnowsItself() {
        knowsNone("io.nettyrdma.channel", "io.nettyrdma.flow..");
        knowsNone("io.nettyrdma.socket", "io.nettyrdma.flow..");
        knowsNone("io.nettyrdma.flow", "io.nettyrdma.engine", "io.nettyrdma.socket", "io.nettyrdma.verbs.*..");
    }

    @Test
    void exceptionsKnowNothingElse() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.error")
                .should()
                .dependOnClassesThat(resideInAPackage("io.nettyrdma..")
                        .and(resideOutsideOfPackage("io.nettyrdma.error"))
                        .as("are of this project"))
                .check(CLASSES);
    }

    private static void knowsNone(String name, String... others) {
        noClasses()
                .that()
                .resideInAPackage(name)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .check(CLASSES);
    }

    /** netty #15987: Netty 5 shuts down by direction; one class is to change then. */
    @Test
    void oneClassOfChannelsKnowsHalfClose() {
        noClasses()
                .that(resideOutsideOfPackage("io.nettyrdma.stream")
                        .and(not(nameMatching("io\\.nettyrdma\\.socket\\.StreamEnd(\\$.*)?"))))
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("io.nettyrdma.stream.HalfCloseState")
                .check(CLASSES);
    }

    @Test
    void lifecycleKnowsNobody() {
        String lifecycle = "(\\[L)?io\\.nettyrdma\\.engine\\.ChannelLifecycle(\\$.*)?";
        noClasses()
                .that()
                .haveNameMatching(lifecycle)
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.nettyrdma..", "io.netty..", "com.ibm.disni..")
                        .and(resideOutsideOfPackage("io.nettyrdma.error"))
                        .and(not(nameMatching(lifecycle)))
                        .as("are of anything else"))
                .check(CLASSES);
    }

    @Test
    void seamKnowsNoProvider() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.nettyrdma.verbs",
                        "io.nettyrdma.verbs.spi",
                        "io.nettyrdma.verbs.choice",
                        "io.nettyrdma.verbs.face")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(PROVIDERS)
                .check(CLASSES);
    }

    @Test
    void providersKnowNoOtherProvider() {
        for (String provider : PROVIDERS) {
            String[] others = Stream.of(PROVIDERS)
                    .filter(other -> !other.equals(provider))
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(provider)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others)
                    .check(CLASSES);
        }
    }

    @Test
    void providersKnowNoChannels() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.verbs..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.engine",
                        "io.nettyrdma.channel",
                        "io.nettyrdma.socket",
                        "io.nettyrdma.flow..",
                        "io.nettyrdma.memory",
                        "io.nettyrdma.stream",
                        "io.nettyrdma.rpc..",
                        "io.netty.channel..")
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
                        "io.nettyrdma.verbs.spi",
                        "io.nettyrdma.verbs.soft",
                        "io.nettyrdma.verbs.soft.rdmap",
                        "com.ibm.disni..",
                        "java.nio.channels..")
                .check(CLASSES);
    }

    @Test
    void ringsKnowNoSocketsAndNoProtocol() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.verbs.soft.ring")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.verbs",
                        "io.nettyrdma.verbs.spi",
                        "io.nettyrdma.verbs.soft",
                        "io.nettyrdma.verbs.soft.rdmap",
                        "io.nettyrdma.verbs.soft.iwarp",
                        "com.ibm.disni..",
                        "io.netty.channel..")
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
    void streamProtocolKnowsNoChannelsNoVerbsNoSocketsAndNoClock() {
        isProtocolOnly("io.nettyrdma.stream");
    }

    @Test
    void flowControlKnowsNoChannelsNoVerbsNoSocketsAndNoClock() {
        isProtocolOnly("io.nettyrdma.flow.protocol");
    }

    private static void isProtocolOnly(String protocol) {
        classes()
                .that()
                .resideInAPackage(protocol)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                protocol,
                                "io.netty.buffer",
                                "java.lang",
                                "java.lang.invoke",
                                "java.lang.runtime",
                                "java.util",
                                "org.jspecify..")
                        .and(not(belongToAnyOf(
                                Thread.class,
                                Process.class,
                                ProcessBuilder.class,
                                Runtime.class,
                                Timer.class,
                                Date.class)))
                        .or(type(IOException.class))
                        .as("do no input or output, and have no clock"))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage(protocol)
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLASSES);
    }

    @Test
    void registeredMemoryKnowsNoChannelsAndNothingElseOfThisProject() {
        classes()
                .that()
                .resideInAPackage("io.nettyrdma.memory")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.memory",
                        "com.ibm.disni.verbs",
                        "io.netty.buffer",
                        "io.netty.util..",
                        "java.lang..",
                        "java.io",
                        "java.nio",
                        "java.util..",
                        "org.jspecify..")
                .check(CLASSES);
    }

    @Test
    void onlyChannelsKnowRegisteredMemory() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.nettyrdma.memory")
                .and()
                .resideOutsideOfPackages(CHANNELS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.memory")
                .check(CLASSES);
    }

    @Test
    void guestsKnowNothingOfRdma() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.guest")
                .should()
                .dependOnClassesThat(resideInAPackage("io.nettyrdma..")
                        .and(resideOutsideOfPackage("io.nettyrdma.guest"))
                        .as("are of this project"))
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
                        "io.nettyrdma.examples.cli",
                        "io.nettyrdma.examples.nfs.client",
                        "io.nettyrdma.examples.nfs.server")
                .check(CLASSES);
    }

    @Test
    void clientOfNfsKnowsNeitherServerNorCommands() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.examples.nfs.client")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.examples.cli", "io.nettyrdma.examples.nfs.server")
                .check(CLASSES);
    }

    @Test
    void whatGuardsTheExamplesKnowsNoneOfThem() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.examples.guard")
                .should()
                .dependOnClassesThat(resideInAPackage("io.nettyrdma.examples..")
                        .and(resideOutsideOfPackage("io.nettyrdma.examples.guard"))
                        .as("are examples"))
                .check(CLASSES);
    }

    @Test
    void examplesToCopyKnowNoCommandLine() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.examples..")
                .and()
                .resideOutsideOfPackage("io.nettyrdma.examples.cli")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.examples.cli", "picocli..")
                .check(CLASSES);
    }

    @Test
    void echoKnowsOnlyTheTransport() {
        classes()
                .that()
                .resideInAPackage("io.nettyrdma.examples.echo")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "io.netty..",
                        "org.jspecify..",
                        "io.nettyrdma.channel",
                        "io.nettyrdma.socket",
                        "io.nettyrdma.flow",
                        "io.nettyrdma.error",
                        "io.nettyrdma.examples.echo")
                .check(CLASSES);
    }

    @Test
    void basicsKnowOnlyTheLibraries() {
        String[] basics = {
            "io.nettyrdma.examples.doctor",
            "io.nettyrdma.examples.echo",
            "io.nettyrdma.examples.nfsnull",
            "io.nettyrdma.examples.onesided",
            "io.nettyrdma.examples.rpcping"
        };
        classes()
                .that()
                .resideInAnyPackage(basics)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(basics)
                        .or(resideInAnyPackage(
                                "java..", "io.netty..", "com.ibm.disni..", "org.slf4j..", "org.jspecify.."))
                        .or(resideInAPackage("io.nettyrdma..").and(resideOutsideOfPackage("io.nettyrdma.examples.."))))
                .check(CLASSES);
    }

    @Test
    void serverOfNfsKnowsNeitherClientNorCommands() {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.examples.nfs.server")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.nettyrdma.examples.cli", "io.nettyrdma.examples.nfs.client")
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

    /** What is in a package of rpc knows of rpc only these packages. */
    private static void rpcPackage(String name, String... known) {
        noClasses()
                .that()
                .resideInAPackage("io.nettyrdma.rpc." + name)
                .should()
                .dependOnClassesThat(resideInAPackage("io.nettyrdma.rpc..")
                        .and(resideOutsideOfPackages(known))
                        .as("are of other packages than " + List.of(known)))
                .check(CLASSES);
    }

    private static void doesNoInputOrOutput(String name) {
        noClasses()
                .that()
                .resideInAPackage(name)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.nettyrdma.channel",
                        "io.nettyrdma.socket",
                        "io.netty.channel..",
                        "java.nio.channels..",
                        "java.net..")
                .check(CLASSES);
    }
}
