// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.nettyrdma.verbs.ProviderNeed;
import io.nettyrdma.verbs.choice.RdmaProviders;
import io.nettyrdma.verbs.choice.RdmaProviders.InstalledProvider;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reports whether RDMA channels can be used in this JVM, and over which verbs provider. The software provider has no
 * requirements, so they nearly always can. A program that wants RDMA only on a device asks {@link #provider()}{@code
 * .kind()}.
 *
 * <p>An unknown system property of this project, or one with an invalid value, is a typo. Every method here but
 * {@link #needs()} then throws {@link IllegalArgumentException}: no program silently falls back to another transport or
 * setting.
 *
 * <p>Threading: any thread.
 */
public final class Rdma {

    /** System property that names the provider, {@code auto} unless set. It is read once per JVM. */
    public static final String PROVIDER_PROPERTY = RdmaProviders.PROPERTY;

    private static final class Choice {
        static final @Nullable InstalledProvider PROVIDER;
        static final @Nullable Throwable CAUSE;
        /** The error about a misspelt system property, which every method throws. */
        static final @Nullable IllegalArgumentException TYPO;

        static {
            InstalledProvider provider = null;
            Throwable cause = null;
            IllegalArgumentException typo = null;
            String defect = NettyRequirement.defect();
            try {
                if (defect == null) {
                    provider = RdmaProviders.get();
                } else {
                    cause = new IllegalStateException(defect);
                }
            } catch (IllegalArgumentException e) {
                typo = e;
            } catch (IOException | LinkageError e) {
                cause = e;
            }
            PROVIDER = provider;
            CAUSE = cause;
            TYPO = typo;
        }

        static void check() {
            if (TYPO != null) {
                throw new IllegalArgumentException(TYPO.getMessage(), TYPO);
            }
        }
    }

    private Rdma() {}

    /** Returns {@code true} if a verbs provider is installed. */
    public static boolean isAvailable() {
        Choice.check();
        return Choice.PROVIDER != null;
    }

    /** Returns why {@link #isAvailable()} is {@code false}, or {@code null} if it is {@code true}. */
    @Nullable
    public static Throwable unavailabilityCause() {
        Choice.check();
        return Choice.CAUSE;
    }

    /**
     * Throws if RDMA channels cannot be used.
     *
     * @throws UnsatisfiedLinkError with {@link #unavailabilityCause()} as its cause, as Netty's native transports do
     */
    public static void ensureAvailability() {
        installed();
    }

    /** Returns one line with the chosen provider, the reason, and how to choose another. */
    public static String report() {
        Choice.check();
        return Choice.PROVIDER != null ? Choice.PROVIDER.report() : "RDMA is not available: " + Choice.CAUSE;
    }

    /**
     * Returns the verbs provider of this JVM: its name, its kind, and why it was chosen. The first call of this method
     * or another of this class installs it for DiSNI's API, too. Over that API, {@code soft} and {@code native} refuse
     * programs with threads of their own.
     *
     * @throws UnsatisfiedLinkError if RDMA is not available, see {@link #unavailabilityCause()}
     */
    public static RdmaProviderInfo provider() {
        InstalledProvider provider = installed();
        return new RdmaProviderInfo(provider.name(), provider.kind(), provider.reason(), provider.report());
    }

    /**
     * Returns the needs of all providers on this machine, met or not, by the values of {@value #PROVIDER_PROPERTY} that
     * name them, in the order of {@code auto}. Each call checks them anew, without choosing a provider: it reads files
     * and, from Java 22 on, loads the libraries of {@code native}.
     */
    public static Map<String, List<ProviderNeed>> needs() {
        return RdmaProviders.needs();
    }

    /** Returns the functions of the provider beyond DiSNI's API. */
    static VerbsExtensions extensions() {
        return installed().extensions();
    }

    private static InstalledProvider installed() {
        Choice.check();
        InstalledProvider provider = Choice.PROVIDER;
        if (provider == null) {
            String reason = Choice.CAUSE == null ? "" : ": " + Choice.CAUSE.getMessage();
            throw (Error) new UnsatisfiedLinkError("RDMA is not available" + reason).initCause(Choice.CAUSE);
        }
        return provider;
    }
}
