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
package io.nettyrdma.channel;

import io.nettyrdma.verbs.RdmaProviders;
import io.nettyrdma.verbs.RdmaProviders.InstalledProvider;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Whether RDMA channels can be used in this JVM, and over which verbs provider. As the software provider needs nothing,
 * they nearly always can: a program that wants RDMA only where it is more than TCP asks
 * {@link #provider()}{@code .kind()}.
 *
 * <p>System properties of this project that nobody reads, or with a value that means nothing, are typos. Every method
 * here throws {@link IllegalArgumentException} because of one, so that no program falls back to another transport, or
 * to another setting, in silence.
 *
 * <p>Threading: any thread.
 */
public final class Rdma {

    private static final class Choice {
        static final @Nullable InstalledProvider PROVIDER;
        static final @Nullable Throwable CAUSE;
        /** A system property that says something wrong, which is told to everybody who asks anything. */
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

    /** Why {@link #isAvailable()} is {@code false}, or {@code null} if it is {@code true}. */
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
        provider();
    }

    /** One line that says which provider was chosen, why, and how to choose another. */
    public static String report() {
        Choice.check();
        return Choice.PROVIDER != null ? Choice.PROVIDER.report() : "RDMA is not available: " + Choice.CAUSE;
    }

    /**
     * The verbs provider of this JVM: its name, why it was chosen, and by {@link InstalledProvider#kind()} whether it
     * is a device of the kernel or software of this process.
     *
     * @throws UnsatisfiedLinkError if RDMA is not available, see {@link #unavailabilityCause()}
     */
    public static InstalledProvider provider() {
        Choice.check();
        InstalledProvider provider = Choice.PROVIDER;
        if (provider == null) {
            String reason = Choice.CAUSE == null ? "" : ": " + Choice.CAUSE.getMessage();
            throw (Error) new UnsatisfiedLinkError("RDMA is not available" + reason).initCause(Choice.CAUSE);
        }
        return provider;
    }
}
