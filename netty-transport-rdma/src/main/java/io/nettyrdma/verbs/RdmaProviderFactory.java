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
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A verbs provider that {@link RdmaProviders} may choose. Factories are found by {@link java.util.ServiceLoader}, so
 * that the choice knows none of them; one holds nothing, and loads nothing before it is asked to {@link #install}.
 *
 * <p>Threading: called by one thread at a time.
 */
public interface RdmaProviderFactory {

    /** The value of {@value RdmaProviders#PROPERTY} that asks for it: a word in lower case. */
    String name();

    /** What does the work of its provider. */
    ProviderKind kind();

    /** When {@code auto} asks it: the one with the least number first. */
    int order();

    /** Names of the system properties that it reads, all of which begin with {@value ProviderProperties#PREFIX}. */
    default Set<String> properties() {
        return Set.of();
    }

    /**
     * Looks at the values of its {@link #properties}, also if another provider is chosen.
     *
     * @throws IllegalArgumentException if one means nothing; the message names it and what is expected
     */
    default void checkProperties() {}

    /** Why {@code auto} should not choose it on this machine, as a part of a sentence, or {@code null}. */
    @Nullable
    String whyNot();

    /**
     * Makes the provider, which becomes DiSNI's own.
     *
     * @throws IOException if it does not work here; the message says what to do
     */
    Installation install() throws IOException;

    /**
     * How channels talk to a provider that somebody else has put into DiSNI, and that is no {@link ExtendedProvider}.
     *
     * @return {@code null} if that is not this factory's business
     */
    default @Nullable VerbsExtensions adapt(RdmaProvider provider) throws IOException {
        return null;
    }

    /**
     * A provider that works.
     *
     * @param provider   as DiSNI knows it
     * @param extensions how channels talk to it beyond DiSNI's API
     * @param what       what it is and what speaks for it, as a part of a sentence
     */
    record Installation(RdmaProvider provider, VerbsExtensions extensions, String what) {}
}
