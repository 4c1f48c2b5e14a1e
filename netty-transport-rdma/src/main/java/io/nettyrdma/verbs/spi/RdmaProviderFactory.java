// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.ProviderNeed;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A verbs provider that this project may choose, found by {@link java.util.ServiceLoader}. A factory holds no
 * resources, and loads nothing before {@link #needs} or {@link #install}.
 *
 * <p>Threading: called by one thread at a time.
 */
public interface RdmaProviderFactory {

    /** Returns the value of {@code io.nettyrdma.provider} that selects it: a word in lower case. */
    String name();

    /** Returns the kind of its provider. */
    ProviderKind kind();

    /** Returns its position in the order of {@code auto}: the least number comes first. */
    int order();

    /** Returns the names of the system properties that it reads; all begin with {@code io.nettyrdma.}. */
    default Set<String> properties() {
        return Set.of();
    }

    /**
     * Checks the values of its {@link #properties}, also if another provider is chosen.
     *
     * @throws IllegalArgumentException if one is invalid; the message has it and the expected values
     */
    default void checkProperties() {}

    /**
     * Returns the needs of the provider on this machine, each checked when the stream reaches it: {@code auto} stops at
     * the first that is not met, and a doctor takes all. The order is that in which a user mends them. Default none.
     */
    default Stream<ProviderNeed> needs() {
        return Stream.empty();
    }

    /**
     * Returns why {@code auto} should not choose it on this machine, as a part of a sentence, or {@code null}. Default
     * {@code null}.
     */
    @Nullable
    default String whyNot() {
        return null;
    }

    /**
     * Makes the provider, which becomes DiSNI's own.
     *
     * @throws IOException if it does not work on this machine; the message says what to do
     */
    Installation install() throws IOException;

    /**
     * Returns the extensions for a provider that the application has put into DiSNI and that is no {@link
     * ExtendedProvider}.
     *
     * @return {@code null} if this factory does not know the provider
     */
    default @Nullable VerbsExtensions adapt(RdmaProvider provider) throws IOException {
        return null;
    }

    /**
     * A provider that works.
     *
     * @param provider   the provider for DiSNI
     * @param extensions its functions beyond DiSNI's API
     * @param what       its description and its advantage, as a part of a sentence
     */
    record Installation(RdmaProvider provider, VerbsExtensions extensions, String what) {}
}
