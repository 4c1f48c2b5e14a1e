// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.verbs.ChangedCapabilities;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.strict.StrictDevice;
import java.io.IOException;
import java.util.Map;

/**
 * Event loops for tests, also those of other modules: over what is tested, or over a provider beside the installed one.
 */
public final class LoopsOver {

    private LoopsOver() {}

    /** Over the provider that is tested. */
    public static IoHandlerFactory tested() {
        return TestProvider.tested().newFactory();
    }

    /** Over the provider that is tested, whose calls go to {@code interceptor}. */
    public static IoHandlerFactory tested(InterceptedVerbs.Interceptor interceptor) {
        return RdmaIoHandler.newFactory(
                RdmaIoHandlerConfig.defaults(),
                InterceptedVerbs.before(TestProvider.tested().extensions(), interceptor));
    }

    /**
     * A group of event loops over what is tested: of one loop where a connection cannot move from its listener's, which
     * libdisni's cannot.
     */
    public static EventLoopGroup group(int loops) {
        TestProvider provider = TestProvider.tested();
        return new MultiThreadIoEventLoopGroup(Math.min(loops, provider.serverLoops), provider.newFactory());
    }

    /**
     * Over {@code provider}, with the default settings; where the strict device is tested, over a device over it.
     */
    public static IoHandlerFactory newFactory(SoftProvider provider) {
        return RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), extensions(provider));
    }

    /**
     * Settings of a provider for {@link #newFactory(SoftProvider)}: where the strict device is tested, with what the
     * device over it cannot do by itself.
     */
    public static SoftProviderConfig config(SoftProviderConfig.Builder builder) {
        return (TestProvider.tested() == TestProvider.STRICT
                        ? StrictDevice.config(StrictDevice.shared().traits(), builder)
                        : builder)
                .build();
    }

    /** What is alive in what {@link #tested} is over. */
    public static OpenResources openResources() throws IOException {
        return TestProvider.tested().openResources();
    }

    private static VerbsExtensions extensions(SoftProvider provider) {
        return TestProvider.tested() == TestProvider.STRICT
                ? new StrictDevice(
                                provider,
                                StrictDevice.shared().traits(),
                                StrictDevice.shared().seed())
                        .extensions()
                : provider.extensions();
    }

    /**
     * Over a device of which some capabilities are others.
     *
     * @param changed by the names of {@link RdmaCapabilities}
     */
    public static IoHandlerFactory newFactory(SoftProvider provider, Map<String, Object> changed) {
        return RdmaIoHandler.newFactory(
                RdmaIoHandlerConfig.defaults(), ChangedCapabilities.over(extensions(provider), changed));
    }

    /** As {@link #newFactory(SoftProvider, Map)}, but only as long as it is not known which device it is. */
    public static IoHandlerFactory newFactoryBeforeDevices(SoftProvider provider, Map<String, Object> changed) {
        return RdmaIoHandler.newFactory(
                RdmaIoHandlerConfig.defaults(), ChangedCapabilities.beforeDevices(extensions(provider), changed));
    }
}
