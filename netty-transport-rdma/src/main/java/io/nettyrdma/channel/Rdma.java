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
 * Whether RDMA channels can be used in this JVM, and over which verbs provider.
 *
 * <p>Threading: any thread.
 */
public final class Rdma {

    private static final class Choice {
        static final @Nullable InstalledProvider PROVIDER;
        static final @Nullable Throwable CAUSE;

        static {
            InstalledProvider provider = null;
            Throwable cause = null;
            try {
                provider = RdmaProviders.get();
            } catch (IOException | LinkageError e) {
                cause = e;
            }
            PROVIDER = provider;
            CAUSE = cause;
        }
    }

    private Rdma() {}

    /** Returns {@code true} if a verbs provider is installed. */
    public static boolean isAvailable() {
        return Choice.PROVIDER != null;
    }

    /** Why {@link #isAvailable()} is {@code false}, or {@code null} if it is {@code true}. */
    @Nullable
    public static Throwable unavailabilityCause() {
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
        return Choice.PROVIDER != null ? Choice.PROVIDER.report() : "RDMA is not available: " + Choice.CAUSE;
    }

    static InstalledProvider provider() {
        InstalledProvider provider = Choice.PROVIDER;
        if (provider == null) {
            throw (Error) new UnsatisfiedLinkError("RDMA is not available").initCause(Choice.CAUSE);
        }
        return provider;
    }
}
