// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.choice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaProvider;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.resolver.NameResolver;
import io.netty.util.Version;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.choice.RdmaProviders.InstalledProvider;
import io.nettyrdma.verbs.spi.ExtendedProvider;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which provider is chosen, and what is said of those that are not. */
class RdmaProvidersTest {

    private final List<String> asked = new ArrayList<>();
    private RdmaProvider present;

    /** Offers what is there already, under another name. */
    private class Offer implements RdmaProviderFactory {
        private final String name;
        private final @Nullable String whyNot;
        private final @Nullable String defect;

        Offer(String name, @Nullable String whyNot, @Nullable String defect) {
            this.name = name;
            this.whyNot = whyNot;
            this.defect = defect;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public ProviderKind kind() {
            return ProviderKind.DEVICE;
        }

        @Override
        public int order() {
            return 0;
        }

        @Override
        public @Nullable String whyNot() {
            asked.add(name);
            return whyNot;
        }

        @Override
        public Installation install() throws IOException {
            if (defect != null) {
                throw new IOException(defect);
            }
            return new Installation(present, ((ExtendedProvider) present).extensions(), "what " + name + " is");
        }
    }

    @BeforeEach
    void installSoftware() throws Exception {
        RdmaProviders.get();
        present = RdmaProvider.provider();
    }

    @Test
    void firstThatSpeaksForItselfAndWorksIsTakenWithWhatTheOthersSaid() throws Exception {
        InstalledProvider chosen = RdmaProviders.auto(
                List.of(
                        new Offer("a", "there is no a", null),
                        new Offer("b", null, "b is broken"),
                        new Offer("c", null, null),
                        new Offer("d", null, null)),
                "auto|a|b|c|d");

        assertThat(asked).containsExactly("a", "b", "c");
        assertThat(chosen.name()).isEqualTo("c");
        assertThat(chosen.kind()).isEqualTo(ProviderKind.DEVICE);
        assertThat(chosen.report())
                .isEqualTo("RDMA provider: c (what c is; there is no a; b is broken; change with"
                        + " -Dio.nettyrdma.provider=auto|a|b|c|d)");
        assertThat(ProviderSlot.get()).isSameAs(present);
    }

    @Test
    void sameReasonIsGivenOnce() throws Exception {
        InstalledProvider chosen = RdmaProviders.auto(
                List.of(
                        new Offer("a", "no RDMA device", null),
                        new Offer("b", "no RDMA device", null),
                        new Offer("c", null, null)),
                "auto|a|b|c");

        assertThat(chosen.reason()).isEqualTo("what c is; no RDMA device");
    }

    @Test
    void whereNoneWorksEachSaysWhy() throws Exception {
        assertThatThrownBy(() -> RdmaProviders.auto(
                        List.of(new Offer("a", "there is no a", null), new Offer("b", null, "b is broken")),
                        "auto|a|b"))
                .isInstanceOf(IOException.class)
                .hasMessage("there is no a; b is broken");
        assertThat(ProviderSlot.get()).isSameAs(present);
    }

    @Test
    void providerThatIsAskedForAndDoesNotWorkIsNamedWithTheProperty() throws Exception {
        ProviderSlot.set(null);
        try {
            assertThatThrownBy(() -> RdmaProviders.choose("B", List.of(new Offer("b", null, "b is broken"))))
                    .isInstanceOf(IOException.class)
                    .hasMessage("-Dio.nettyrdma.provider=b: b is broken");
        } finally {
            ProviderSlot.set(present);
        }
    }

    @Test
    void providerThatBreaksKeepsNoOtherFromBeingTaken() throws Exception {
        List<RdmaProviderFactory> offers = List.of(
                new Offer("a", null, null) {
                    @Override
                    public Installation install() {
                        throw new UnsatisfiedLinkError("no liba");
                    }
                },
                new Offer("b", null, null) {
                    @Override
                    public Installation install() {
                        throw new IllegalStateException("b breaks");
                    }
                },
                new Offer("c", null, null));
        assertThat(RdmaProviders.auto(offers, "auto|a|b|c").report())
                .contains("what c is; provider a fails (java.lang.UnsatisfiedLinkError: no liba);"
                        + " provider b fails (java.lang.IllegalStateException: b breaks);");
    }

    @Test
    void factoryThatDoesNotLoadIsLeftOut(@TempDir Path directory) throws Exception {
        Path list = directory.resolve("META-INF/services").resolve(RdmaProviderFactory.class.getName());
        Files.createDirectories(list.getParent());
        Files.writeString(list, "nowhere.Missing\n");
        Logs.expect(RdmaProviders.class, "failed to load an RDMA provider; trying the others");
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()}, RdmaProviders.class.getClassLoader())) {
            assertThat(RdmaProviders.loadable(loader))
                    .extracting(RdmaProviderFactory::name)
                    .containsExactly("native", "disni", "soft");
        }
    }

    /** All providers implement its interfaces. */
    @Test
    void missingJarOfDisniIsNamed() throws Exception {
        List<URL> jars = new ArrayList<>();
        for (Class<?> type :
                List.of(RdmaProviders.class, Version.class, ByteBuf.class, Channel.class, NameResolver.class)) {
            jars.add(type.getProtectionDomain().getCodeSource().getLocation());
        }
        try (URLClassLoader loader =
                new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Method cause = loader.loadClass(Rdma.class.getName()).getMethod("unavailabilityCause");
            assertThat((Throwable) cause.invoke(null))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the jar of DiSNI is missing on the class path, or cannot be read: add"
                            + " com.ibm.disni:disni");
        }
    }

    @Test
    void lostListOfServicesIsNamed() {
        assertThatThrownBy(() -> RdmaProviders.choose("soft", List.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("META-INF/services");
    }

    @Test
    void misspeltChoiceIsRefusedAlsoIfTheApplicationHasChosen() {
        assertThatThrownBy(() -> RdmaProviders.choose("sotf", RdmaProviders.factories()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "-Dio.nettyrdma.provider=sotf names no provider (expected: one of auto, native, disni, soft)");
    }

    @Test
    void softwareProviderOfTheApplicationIsSoftware() throws Exception {
        InstalledProvider chosen = RdmaProviders.choose("auto", RdmaProviders.factories());
        assertThat(chosen.name()).isEqualTo("custom");
        assertThat(chosen.kind()).isEqualTo(ProviderKind.SOFTWARE);
        assertThat(chosen.extensions()).isSameAs(((ExtendedProvider) present).extensions());
    }
}
