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

import com.ibm.disni.verbs.RdmaProvider;
import io.netty.util.internal.SystemPropertyUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the verbs provider of this JVM, once, when it is first asked for. DiSNI knows one provider per JVM, so there
 * is one choice. It is made by the system property {@value #PROPERTY}:
 *
 * <ul>
 *   <li>{@code auto} (default): the first of {@code native} and {@code disni} for which {@code /sys/class/infiniband}
 *       shows a device <em>and</em> everything that it needs is there, else {@code soft}; the reason then says what is
 *       missing, and what to do about it;</li>
 *   <li>{@code native}: libibverbs and librdmacm, called by Java 22 or newer without C; an error if something that it
 *       needs is missing;</li>
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
    // Entries of service lists that name nothing; after so many the rest is not looked at.
    private static final int MAX_DEFECTS = 100;

    private static final String AUTO = "auto";

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
     * @param choices    the values of the property that there are, with a bar between them
     */
    public record InstalledProvider(
            String name, ProviderKind kind, String reason, VerbsExtensions extensions, String choices) {

        /** One line for a log or a console: what was chosen, why, and how to change it. */
        public String report() {
            return "RDMA provider: " + name + " (" + reason + "; change with -D" + PROPERTY + '=' + choices + ')';
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
                List<RdmaProviderFactory> factories = factories();
                checkProperties(factories);
                installed = choose(SystemPropertyUtil.get(PROPERTY, AUTO), factories);
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

    /** Every provider that can be asked for, in the order in which {@code auto} asks. */
    static List<RdmaProviderFactory> factories() {
        return factories(RdmaProviders.class.getClassLoader());
    }

    /** As {@link #factories()}, of a class loader. One that does not load keeps no other from being found. */
    static List<RdmaProviderFactory> factories(ClassLoader loader) {
        List<RdmaProviderFactory> factories = new ArrayList<>();
        Iterator<RdmaProviderFactory> found =
                ServiceLoader.load(RdmaProviderFactory.class, loader).iterator();
        for (int defects = 0; defects < MAX_DEFECTS; ) {
            try {
                if (!found.hasNext()) {
                    break;
                }
                factories.add(found.next());
            } catch (ServiceConfigurationError | LinkageError e) {
                defects++;
                logger.warn("an RDMA provider is left out", e);
            }
        }
        factories.sort(Comparator.comparingInt(RdmaProviderFactory::order));
        return factories;
    }

    /** Refuses typos, in the settings of providers that are not chosen as well. */
    private static void checkProperties(List<RdmaProviderFactory> factories) {
        Set<String> known = new HashSet<>();
        known.add(PROPERTY);
        factories.forEach(factory -> known.addAll(factory.properties()));
        ProviderProperties.check(System.getProperties().stringPropertyNames(), known);
        factories.forEach(RdmaProviderFactory::checkProperties);
    }

    /**
     * Chooses.
     *
     * @param wish      the value of {@value #PROPERTY}
     * @param factories in the order in which {@code auto} asks
     */
    static InstalledProvider choose(String wish, List<RdmaProviderFactory> factories)
            throws IOException, ReflectiveOperationException {
        if (factories.isEmpty()) {
            throw new IOException(
                    "not even that of this library was found; META-INF/services of netty-transport-rdma is"
                            + " missing, perhaps because jars were merged");
        }
        String name = wish.toLowerCase(Locale.ROOT);
        List<String> names = new ArrayList<>(List.of(AUTO));
        factories.forEach(factory -> names.add(factory.name()));
        if (!names.contains(name)) {
            throw new IllegalArgumentException("-D" + PROPERTY + '=' + wish + " names no provider (expected: one of "
                    + String.join(", ", names) + ')');
        }
        RdmaProvider present = ProviderSlot.get();
        String choices = String.join("|", names);
        if (present != null) {
            return adopt(present, factories, choices);
        }
        return name.equals(AUTO)
                ? auto(factories, choices)
                : install(factories.get(names.indexOf(name) - 1), "asked for", choices);
    }

    private static InstalledProvider adopt(RdmaProvider present, List<RdmaProviderFactory> factories, String choices)
            throws IOException {
        String reason = present.getClass().getName() + " was already installed in DiSNI";
        if (present instanceof ExtendedProvider extended) {
            return new InstalledProvider("custom", extended.kind(), reason, extended.extensions(), choices);
        }
        for (RdmaProviderFactory factory : factories) {
            VerbsExtensions extensions = factory.adapt(present);
            if (extensions != null) {
                return new InstalledProvider("custom", ProviderKind.CUSTOM, reason, extensions, choices);
            }
        }
        throw new IOException(reason + ", and nothing here can talk to it");
    }

    /** Takes the first that speaks for itself and works. */
    static InstalledProvider auto(List<RdmaProviderFactory> factories, String choices)
            throws IOException, ReflectiveOperationException {
        Set<String> refusals = new LinkedHashSet<>(); // no device is a reason for more than one
        for (RdmaProviderFactory factory : factories) {
            String whyNot = factory.whyNot();
            if (whyNot == null) {
                try {
                    return install(factory, String.join("; ", refusals), choices);
                } catch (IOException e) {
                    whyNot = e.getMessage();
                }
            }
            refusals.add(whyNot);
        }
        throw new IOException(String.join("; ", refusals));
    }

    private static InstalledProvider install(RdmaProviderFactory factory, String why, String choices)
            throws IOException, ReflectiveOperationException {
        RdmaProvider provider = ProviderSlot.get();
        final RdmaProviderFactory.Installation made;
        try {
            made = factory.install();
            provider = made.provider();
        } catch (RuntimeException | LinkageError e) {
            throw new IOException("provider " + factory.name() + " fails (" + e + ')', e);
        } finally {
            ProviderSlot.set(provider); // for another one, if this one failed
        }
        String reason = why.isEmpty() ? made.what() : made.what() + "; " + why;
        return new InstalledProvider(factory.name(), factory.kind(), reason, made.extensions(), choices);
    }
}
