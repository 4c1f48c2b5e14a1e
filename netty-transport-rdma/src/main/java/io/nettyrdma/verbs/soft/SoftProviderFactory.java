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
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Offers {@link SoftProvider}, which works everywhere and hence is asked last. */
public final class SoftProviderFactory implements RdmaProviderFactory {

    /** For {@link java.util.ServiceLoader}. */
    public SoftProviderFactory() {}

    @Override
    public String name() {
        return "soft";
    }

    @Override
    public ProviderKind kind() {
        return ProviderKind.SOFTWARE;
    }

    @Override
    public int order() {
        return Integer.MAX_VALUE;
    }

    @Override
    public Set<String> properties() {
        return SoftProviderConfig.propertyNames();
    }

    @Override
    public void checkProperties() {
        SoftProviderConfig.fromSystemProperties();
    }

    @Override
    public @Nullable String whyNot() {
        return null;
    }

    @Override
    public Installation install() {
        SoftProvider provider = new SoftProvider(SoftProviderConfig.fromSystemProperties());
        return new Installation(provider, provider.extensions(), "iWARP over TCP in pure Java");
    }
}
