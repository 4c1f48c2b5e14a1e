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
package io.nettyrdma.verbs;

import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import io.netty.util.internal.SystemPropertyUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.io.File;
import java.io.IOException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the verbs provider of this JVM, once, when it is first asked for. DiSNI knows one provider per JVM, so there
 * is one choice. It is made by the system property {@value #PROPERTY}:
 *
 * <ul>
 *   <li>{@code auto} (default): DiSNI's own provider if {@code /sys/class/infiniband} shows a device <em>and</em>
 *       everything that provider needs is there, else {@code soft};</li>
 *   <li>{@code soft}: iWARP over TCP in pure Java, wire-compatible with the Linux driver {@code siw};</li>
 *   <li>{@code disni}: DiSNI's own provider over libdisni and libibverbs, an error if something that it
 *       needs is missing.</li>
 * </ul>
 *
 * <p>A system property {@code io.nettyrdma.*} that nobody reads, or whose value means nothing, is a typo and refused.
 *
 * <p>A provider that the application put into DiSNI before is kept. The choice is logged at INFO with its reason,
 * because both ends have to agree: a RoCE or InfiniBand side and a software iWARP side cannot talk to each other.
 *
 * <p>Threading: any thread.
 */
public final class RdmaProviders {

    /** System property that names the provider. */
    public static final String PROPERTY = "io.nettyrdma.provider";

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RdmaProviders.class);
    private static final File DEVICES = new File("/sys/class/infiniband");

    private static final Set<String> NAMES = Set.of("auto", "soft", "disni");

    private static @Nullable InstalledProvider installed;
    private static @Nullable Throwable failure;

    private RdmaProviders() {}

    /**
     * What was chosen.
     *
     * @param name       the value of {@value RdmaProviders#PROPERTY} that names it, or {@code custom}
     * @param kind       what does the work
     * @param reason     why, as the end of a sentence
     * @param extensions how channels talk to it beyond DiSNI's API
     */
    public record InstalledProvider(String name, ProviderKind kind, String reason, VerbsExtensions extensions) {

        /** One line for a log or a console: what was chosen, why, and how to change it. */
        public String report() {
            return "RDMA provider: " + name + " (" + reason + "; change with -D" + PROPERTY + "=auto|soft|disni)";
        }
    }

    /**
     * The provider of this JVM, chosen and installed on the first call.
     *
     * @throws IOException              if the provider asked for is not available; the message says what to do. Every
     *                                  later call throws the same failure
     * @throws IllegalArgumentException if a system property of this project has a name that nobody reads, or a value
     *                                  that means nothing; so does every later call
     */
    // The lock guards the one static choice of the JVM; every caller after the first only reads it.
    public static synchronized InstalledProvider get() throws IOException {
        if (installed != null) {
            return installed;
        }
        if (failure == null) {
            try {
                checkProperties();
                installed = choose(SystemPropertyUtil.get(PROPERTY, "auto"));
                logger.info(installed.report());
                return installed;
            } catch (IOException | ReflectiveOperationException | RuntimeException e) {
                failure = e;
            }
        }
        if (failure instanceof IllegalArgumentException) {
            throw new IllegalArgumentException(failure.getMessage(), failure);
        }
        throw new IOException("no RDMA provider: " + failure.getMessage(), failure);
    }

    /** Refuses typos, in the settings of providers that are not chosen as well. */
    private static void checkProperties() {
        Set<String> known = new HashSet<>(SoftProviderConfig.propertyNames());
        known.add(PROPERTY);
        ProviderProperties.check(System.getProperties().stringPropertyNames(), known);
        SoftProviderConfig.fromSystemProperties();
    }

    /** Chooses by the value of {@value #PROPERTY}. */
    static InstalledProvider choose(String wish) throws IOException, ReflectiveOperationException {
        String name = wish.toLowerCase(Locale.ROOT);
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "-D" + PROPERTY + '=' + wish + " names no provider (expected: auto, soft or disni)");
        }
        RdmaProvider present = ProviderSlot.get();
        if (present != null) {
            return new InstalledProvider(
                    "custom",
                    present instanceof SoftProvider ? ProviderKind.SOFTWARE : ProviderKind.CUSTOM,
                    present.getClass().getName() + " was already installed in DiSNI",
                    extensionsOf(present));
        }
        return switch (name) {
            case "soft" -> soft("asked for");
            case "disni" -> disni("asked for");
            default -> auto(DEVICES.list(), RdmaProviders::disni, RdmaProviders::soft);
        };
    }

    /** Makes a provider the one of this JVM. */
    interface Installation {
        InstalledProvider install(String reason) throws IOException, ReflectiveOperationException;
    }

    /**
     * Chooses by the devices there are.
     *
     * @param devices names of RDMA devices, {@code null} for none
     */
    static InstalledProvider auto(String @Nullable [] devices, Installation disni, Installation soft)
            throws IOException, ReflectiveOperationException {
        if (devices == null || devices.length == 0) {
            return soft.install("no RDMA device in " + DEVICES);
        }
        try {
            return disni.install("device " + devices[0] + " is there and libdisni loads");
        } catch (IOException e) {
            return soft.install("device " + devices[0] + " is there, but " + e.getMessage());
        }
    }

    private static InstalledProvider soft(String reason) throws ReflectiveOperationException {
        SoftProvider provider = new SoftProvider(SoftProviderConfig.fromSystemProperties());
        ProviderSlot.set(provider);
        return new InstalledProvider(
                "soft", ProviderKind.SOFTWARE, "iWARP over TCP in pure Java; " + reason, provider.extensions());
    }

    private static InstalledProvider disni(String reason) throws IOException, ReflectiveOperationException {
        DisniRequirements.check(new DisniRequirements.ThisMachine());
        RdmaProvider provider;
        try {
            // Loads libdisni, and leaves the provider in DiSNI's slot only if that worked.
            provider = RdmaProvider.provider();
        } catch (LinkageError | RuntimeException | IOException e) {
            throw new IOException(
                    "libdisni does not load (" + e
                            + "); build it from the DiSNI sources and put it on java.library.path",
                    e);
        }
        try {
            RdmaEventChannel trial = provider.openCm().createEventChannel();
            if (trial == null) {
                throw new IOException("no event channel");
            }
            NativeErrors.freed(trial.destroyEventChannel(), "event channel");
        } catch (LinkageError | RuntimeException | IOException e) {
            ProviderSlot.set(null); // for another one
            throw new IOException("libdisni loads, but cannot open an event channel (" + e + ')', e);
        }
        return new InstalledProvider("disni", ProviderKind.DEVICE, reason, extensionsOf(provider));
    }

    private static VerbsExtensions extensionsOf(RdmaProvider provider) throws IOException {
        return provider instanceof SoftProvider soft
                ? soft.extensions()
                : new DisniVerbsExtensions(provider.openCm()::createEventChannel);
    }
}
