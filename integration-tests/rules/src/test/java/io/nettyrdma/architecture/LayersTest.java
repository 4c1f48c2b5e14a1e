// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import java.io.IOException;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
                        "io.nettyrdma.rpc.wire.v1", "io.nettyrdma.rpc.session", "io.nettyrdma.rpc.version2")
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
        rpcPackage("observe", "io.nettyrdma.rpc.observe", "io.nettyrdma.rpc.binding", "io.nettyrdma.rpc.wire");
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
                .resideOutsideOfPackage("io.nettyrdma.rpc.metrics")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..")
                .check(CLASSES);
    }

    @Test
    void metricsKnowOnlyTheListener() {
        rpcPackage("metrics", "io.nettyrdma.rpc.metrics", "io.nettyrdma.rpc.observe", "io.nettyrdma.rpc.wire");
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
                .resideInAnyPackage("io.nettyrdma.rpc..")
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage(PROVIDERS)
                .check(CLASSES);
    }

    // Of package channel: a queue pair and what it consists of.
    private static final DescribedPredicate<JavaClass> QUEUE_PAIR = inChannel(
            "QueuePair",
            "QueuePairLimits",
            "QueuePairOwner",
            "SendQueue",
            "Receives",
            "ReceivePoster",
            "WorkRequestId",
            "VerbsConnection",
            "IdCalls");

    // What every kind of connected channel is made of.
    private static final DescribedPredicate<JavaClass> SHARED = inChannel(
            "ChannelLifecycle",
            "ChannelHandle",
            "Establishment",
            "ConnectAttempt",
            "ConnectionTerms",
            "ConnectionRequest",
            "ConnectionUnsafe",
            "OrderlyClose",
            "SendProgress",
            "RdmaLoops",
            "Listener");

    // The channel that keeps message boundaries, and what it is made of besides.
    private static final DescribedPredicate<JavaClass> OF_MESSAGES = inChannel(
            "RdmaChannel",
            "RdmaChannelConfig",
            "RdmaServerChannel",
            "RdmaSend",
            "RdmaWrite",
            "RdmaRead",
            "MessageExchange",
            "OutboundMessages",
            "OutboundPoster",
            "ReceiveQueue");

    // The channel of a byte stream, and what it is made of besides.
    private static final DescribedPredicate<JavaClass> OF_STREAMS = inChannel(
            "RdmaSocketChannel",
            "RdmaSocketChannelConfig",
            "RdmaServerSocketChannel",
            "RdmaServerSocketChannelConfig",
            "StreamExchange",
            "StreamEnd",
            "OpenStreams",
            "StreamSetup",
            "StreamInput",
            "StreamOutput",
            "StreamControl",
            "StreamKeepalive",
            "StreamAnnouncement",
            "StreamRetry",
            "StreamTraffic",
            "RdmaStreamProtocolException",
            "PublishedBuffers",
            "WordReceives",
            "FileRegionChannel");

    // What drives channels of any kind on a loop.
    private static final DescribedPredicate<JavaClass> LOOP = inChannel(
            "RdmaIoHandler",
            "RdmaIoHandle",
            "RdmaRegistration",
            "Registrations",
            "CompletionDispatch",
            "CmEventDispatch",
            "LoopCalls",
            "LoopDevice");

    /** Classes of package channel with what is nested in them; all of them have to be there. */
    private static DescribedPredicate<JavaClass> inChannel(String... names) {
        Set<String> outer = new HashSet<>();
        for (String name : names) {
            outer.add(CLASSES.get("io.nettyrdma.channel." + name).getFullName());
        }
        return DescribedPredicate.describe(
                "are " + String.join(", ", names),
                type -> outer.contains(type.getBaseComponentType().getFullName().replaceAll("\\$.*", "")));
    }

    @Test
    void queuePairsKnowNeitherMessagesNorChannels() {
        noClasses()
                .that(QUEUE_PAIR)
                .should()
                .dependOnClassesThat(OF_MESSAGES
                        .or(OF_STREAMS)
                        .or(SHARED)
                        .and(not(inChannel("ConnectionRequest")))
                        .as("are of a channel"))
                .check(CLASSES);
        noClasses()
                .that(QUEUE_PAIR)
                .should()
                .dependOnClassesThat(assignableTo(Channel.class).or(assignableTo(ChannelConfig.class)))
                .check(CLASSES);
    }

    @Test
    void whatChannelsShareKnowsNoKindOfChannel() {
        noClasses()
                .that(SHARED.or(LOOP).as("are shared by channels"))
                .should()
                .dependOnClassesThat(OF_MESSAGES.or(OF_STREAMS).as("are of one kind of channel"))
                .check(CLASSES);
    }

    @Test
    void kindsOfChannelsDoNotKnowEachOther() {
        noClasses()
                .that(OF_STREAMS.as("are of byte streams"))
                .should()
                .dependOnClassesThat(OF_MESSAGES.as("are of the channel that keeps message boundaries"))
                .check(CLASSES);
        noClasses()
                .that(OF_MESSAGES.as("are of the channel that keeps message boundaries"))
                .should()
                .dependOnClassesThat(OF_STREAMS.as("are of byte streams"))
                .check(CLASSES);
    }

    @Test
    void whatIsNamedAsPartOfAStreamIsOne() {
        classes()
                .that()
                .resideInAPackage("io.nettyrdma.channel")
                .and()
                .haveNameMatching(".*\\.\\w*(Stream|Socket)\\w*(\\$.*)?")
                .should(ArchCondition.from(OF_STREAMS.as("be of byte streams")))
                .check(CLASSES);
    }

    @Test
    void messagesKnowTheChannelByItsParts() {
        noClasses()
                .that(OF_MESSAGES
                        .and(not(inChannel("RdmaChannel", "RdmaChannelConfig", "RdmaServerChannel")))
                        .as("are parts of a channel"))
                .should()
                .dependOnClassesThat(inChannel("RdmaChannel", "RdmaServerChannel"))
                .check(CLASSES);
    }

    /** netty #15987: Netty 5 shuts down by direction; one class is to change then. */
    @Test
    void oneClassOfChannelsKnowsHalfClose() {
        noClasses()
                .that(resideOutsideOfPackage("io.nettyrdma.stream").and(not(inChannel("StreamEnd"))))
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("io.nettyrdma.stream.HalfCloseState")
                .check(CLASSES);
    }

    @Test
    void lifecycleKnowsNobody() {
        noClasses()
                .that(inChannel("ChannelLifecycle"))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.nettyrdma..", "io.netty..", "com.ibm.disni..")
                        .and(not(inChannel("ChannelLifecycle", "RdmaWorkRequestException")))
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
                        "io.nettyrdma.channel",
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
        isProtocolOnly("io.nettyrdma.flow");
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

    /** A channel without flow control pays nothing for it. */
    @Test
    void channelsKnowNoFlowControl() {
        DescribedPredicate<JavaClass> handler = inChannel(
                "RdmaFlowControlHandler",
                "RdmaFlowControlConfig",
                "RdmaFlowControlException",
                "FlowInput",
                "FlowOutput",
                "FlowClose",
                "EarlyWrites");
        noClasses()
                .that(resideOutsideOfPackage("io.nettyrdma.flow")
                        .and(not(handler))
                        .and(resideInAnyPackage("io.nettyrdma.channel", "io.nettyrdma.memory", "io.nettyrdma.verbs..")))
                .should()
                .dependOnClassesThat(handler.or(resideInAPackage("io.nettyrdma.flow")))
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
                .resideOutsideOfPackages("io.nettyrdma.memory", "io.nettyrdma.channel")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nettyrdma.memory")
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
                        "java..", "io.netty..", "org.jspecify..", "io.nettyrdma.channel", "io.nettyrdma.examples.echo")
                .check(CLASSES);
    }

    @Test
    void basicsKnowOnlyTheLibraries() {
        String[] basics = {
            "io.nettyrdma.examples.echo", "io.nettyrdma.examples.nfsnull", "io.nettyrdma.examples.rpcping"
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
                .resideInAnyPackage("io.nettyrdma.channel", "io.netty.channel..", "java.nio.channels..", "java.net..")
                .check(CLASSES);
    }
}
