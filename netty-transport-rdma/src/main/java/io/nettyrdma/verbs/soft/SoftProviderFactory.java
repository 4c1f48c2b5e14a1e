// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import java.util.Set;

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
    public Installation install() {
        SoftProvider provider = new SoftProvider(SoftProviderConfig.fromSystemProperties());
        return new Installation(
                provider,
                provider.extensions(),
                "iWARP over TCP in pure Java, shared memory between processes of a host");
    }
}
