// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.ProviderNeed;
import io.nettyrdma.verbs.choice.DeviceNeeds;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Offers DiSNI's own provider over libdisni and libibverbs, and adapts any other that knows DiSNI's API alone. */
public final class DisniProviderFactory implements RdmaProviderFactory {

    private static final int ORDER = 100;
    private static final String NAME = "disni";

    /** Loads libdisni. */
    interface Loader {
        RdmaProvider load() throws IOException;
    }

    private final DeviceNeeds devices;
    private final DisniRequirements.Jvm jvm;
    private final Loader loader;

    /** For {@link java.util.ServiceLoader}. */
    public DisniProviderFactory() {
        this(DeviceNeeds.ROOT, new DisniRequirements.ThisJvm(), RdmaProvider::provider);
    }

    /** @param root of the files of the machine */
    DisniProviderFactory(Path root, DisniRequirements.Jvm jvm, Loader loader) {
        devices = new DeviceNeeds(root);
        this.jvm = jvm;
        this.loader = loader;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ProviderKind kind() {
        return ProviderKind.DEVICE;
    }

    @Override
    public int order() {
        return ORDER;
    }

    @Override
    public Stream<ProviderNeed> needs() {
        return Stream.concat(Stream.of(devices.anyDevice()), needsBesidesADevice());
    }

    private Stream<ProviderNeed> needsBesidesADevice() {
        return Stream.<Supplier<ProviderNeed>>of(
                        () -> DisniRequirements.slf4j(jvm),
                        () -> DisniRequirements.buffers(jvm),
                        devices::connectionManager,
                        devices::deviceFiles,
                        () -> DisniRequirements.library(jvm))
                .map(Supplier::get);
    }

    @Override
    public @Nullable String whyNot() {
        return devices.whyNot(NAME, needs());
    }

    @Override
    public Installation install() throws IOException {
        String whyNot = devices.whyNot(NAME, needsBesidesADevice());
        if (whyNot != null) {
            throw new IOException(whyNot);
        }
        RdmaProvider provider;
        try {
            provider = loader.load();
        } catch (LinkageError | RuntimeException | IOException e) {
            throw new IOException(devices.but(NAME, DisniRequirements.loadDefect(e)), e);
        }
        try {
            RdmaEventChannel trial = provider.openCm().createEventChannel();
            if (trial == null) {
                throw new IOException("no event channel");
            }
            NativeErrors.freed(trial.destroyEventChannel(), "event channel");
            String device = devices.device();
            return new Installation(
                    provider,
                    adapt(provider),
                    (device == null ? "" : "device " + device + " is there and ") + "libdisni loads");
        } catch (LinkageError | RuntimeException | IOException e) {
            throw new IOException(devices.but(NAME, "libdisni loads, and cannot open an event channel (" + e + ')'), e);
        }
    }

    @Override
    public VerbsExtensions adapt(RdmaProvider provider) throws IOException {
        return new DisniVerbsExtensions(provider.openCm()::createEventChannel);
    }
}
