// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.choice;

import com.ibm.disni.verbs.RdmaProvider;
import io.netty.util.internal.SystemPropertyUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.ProviderNeed;
import io.nettyrdma.verbs.spi.ExtendedProvider;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the verbs provider of this JVM, once, on the first call: DiSNI knows one provider per JVM. The system
 * property {@value #PROPERTY} selects it:
 *
 * <ul>
 *   <li>{@code auto} (default): the first of {@code native} and {@code disni} for which {@code /sys/class/infiniband}
 *       shows a device <em>and</em> whose requirements are met, else {@code soft}; the reason then names the missing
 *       requirements, and what to do about them;</li>
 *   <li>{@code native}: libibverbs and librdmacm, called by Java 22 or newer without C; an error if a requirement is
 *       missing;</li>
 *   <li>{@code soft}: iWARP over TCP in pure Java, wire-compatible with the Linux driver {@code siw};</li>
 *   <li>{@code disni}: DiSNI's own provider over libdisni and libibverbs; an error if a requirement is missing.</li>
 * </ul>
 *
 * <p>An unknown system property {@code io.nettyrdma.*}, or one with an invalid value, is a typo and refused.
 *
 * <p>A provider that the application put into DiSNI before stays. This class logs the choice at INFO with its reason,
 * because both ends must match: a RoCE or InfiniBand side cannot connect to a software iWARP side.
 *
 * <p>Threading: any thread.
 */
public final class RdmaProviders {

    /** System property that names the provider. */
    public static final String PROPERTY = "io.nettyrdma.provider";

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RdmaProviders.class);
    // Limit of unusable entries in service lists; the rest is ignored.
    private static final int MAX_DEFECTS = 100;

    private static final String AUTO = "auto";
    private static final String DISNI = "com.ibm.disni.";

    private static @Nullable InstalledProvider installed;
    private static @Nullable Throwable failure;

    private RdmaProviders() {}

    /**
     * The chosen provider.
     *
     * @param name       the value of {@value RdmaProviders#PROPERTY} that names it, or {@code custom}
     * @param kind       device, software or custom
     * @param reason     the reason for the choice, as the end of a sentence
     * @param extensions its functions beyond DiSNI's API
     * @param choices    the possible values of the property, separated by bars
     */
    public record InstalledProvider(
            String name, ProviderKind kind, String reason, VerbsExtensions extensions, String choices) {

        /** Returns one line for a log or a console: the choice, its reason, and how to change it. */
        public String report() {
            return "RDMA provider: " + name + " (" + reason + "; change with -D" + PROPERTY + '=' + choices + ')';
        }
    }

    /**
     * Returns the provider of this JVM, chosen and installed on the first call.
     *
     * @throws IOException              if the selected provider is not available; the message says what to do. Every
     *                                  later call throws the same failure
     * @throws IllegalArgumentException if a system property of this project has an unknown name or an invalid value; so
     *                                  does every later call
     */
    // The lock guards the one static choice of the JVM; every caller after the first only reads it.
    public static synchronized InstalledProvider get() throws IOException {
        if (installed != null) {
            return installed;
        }
        if (failure == null) {
            try {
                List<RdmaProviderFactory> factories = loadable(RdmaProviders.class.getClassLoader());
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

    /** Returns the needs of all providers, by their names, in the order of {@code auto}; installs none. */
    public static synchronized Map<String, List<ProviderNeed>> needs() {
        Map<String, List<ProviderNeed>> needs = new LinkedHashMap<>();
        factories().forEach(factory -> needs.put(factory.name(), factory.needs().toList()));
        return needs;
    }

    /** Returns all providers, in the order of {@code auto}. */
    static List<RdmaProviderFactory> factories() {
        return factories(RdmaProviders.class.getClassLoader(), new ArrayList<>());
    }

    /**
     * As {@link #factories()}, of a class loader.
     *
     * @throws IOException if all that are listed fail to load; the cause says why
     */
    static List<RdmaProviderFactory> loadable(ClassLoader loader) throws IOException {
        List<Throwable> defects = new ArrayList<>();
        List<RdmaProviderFactory> factories = factories(loader, defects);
        if (factories.isEmpty() && !defects.isEmpty()) {
            throw new IOException(adviceFor(defects.get(0)), defects.get(0));
        }
        defects.forEach(e -> logger.warn("failed to load an RDMA provider; trying the others", e));
        return factories;
    }

    /** Says what to do about providers of which none loads. */
    private static String adviceFor(Throwable defect) {
        for (Throwable cause = defect; cause != null; cause = cause.getCause()) {
            String name = String.valueOf(cause.getMessage()).replace('/', '.');
            if ((cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException)
                    && name.startsWith(DISNI)) {
                return "the jar of DiSNI is missing on the class path, or cannot be read: add com.ibm.disni:disni,"
                        + " which all providers need (" + name + " was not found)";
            }
        }
        return "none of the listed providers can be loaded: " + defect;
    }

    /** One that fails to load does not hide the others. */
    private static List<RdmaProviderFactory> factories(ClassLoader loader, List<Throwable> defects) {
        List<RdmaProviderFactory> factories = new ArrayList<>();
        Iterator<RdmaProviderFactory> found =
                ServiceLoader.load(RdmaProviderFactory.class, loader).iterator();
        while (defects.size() < MAX_DEFECTS) {
            try {
                if (!found.hasNext()) {
                    break;
                }
                factories.add(found.next());
            } catch (ServiceConfigurationError | LinkageError e) {
                defects.add(e);
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
     * @param factories in the order of {@code auto}
     */
    static InstalledProvider choose(String wish, List<RdmaProviderFactory> factories)
            throws IOException, ReflectiveOperationException {
        if (factories.isEmpty()) {
            throw new IOException(
                    "META-INF/services of netty-transport-rdma is missing, perhaps because jars were merged;"
                            + " merge the files in META-INF/services too");
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
                : installNamed(factories.get(names.indexOf(name) - 1), choices);
    }

    private static InstalledProvider installNamed(RdmaProviderFactory factory, String choices)
            throws IOException, ReflectiveOperationException {
        try {
            return install(factory, "asked for", choices);
        } catch (IOException e) {
            throw new IOException("-D" + PROPERTY + '=' + factory.name() + ": " + e.getMessage(), e);
        }
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
        throw new IOException(reason + ", but no RDMA provider supports it; do not install it,"
                + " or let it implement ExtendedProvider");
    }

    /** Takes the first provider without an objection of its own that works. */
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
