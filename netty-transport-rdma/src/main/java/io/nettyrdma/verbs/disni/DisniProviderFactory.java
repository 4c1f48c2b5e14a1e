// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.File;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Offers DiSNI's own provider over libdisni and libibverbs, and adapts any other that knows DiSNI's API alone. */
public final class DisniProviderFactory implements RdmaProviderFactory {

    private static final int ORDER = 100;
    private static final File DEVICES = new File("/sys/class/infiniband");

    /** Loads libdisni. */
    interface Loader {
        RdmaProvider load() throws IOException;
    }

    private final File devices;
    private final DisniRequirements.Machine machine;
    private final Loader loader;

    /** For {@link java.util.ServiceLoader}. */
    public DisniProviderFactory() {
        this(DEVICES, new DisniRequirements.ThisMachine(), RdmaProvider::provider);
    }

    /** @param devices the directory with an entry per RDMA device */
    DisniProviderFactory(File devices, DisniRequirements.Machine machine, Loader loader) {
        this.devices = devices;
        this.machine = machine;
        this.loader = loader;
    }

    @Override
    public String name() {
        return "disni";
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
    public @Nullable String whyNot() {
        if (device() == null) {
            return "no RDMA device in " + devices;
        }
        try {
            DisniRequirements.check(machine);
            return null;
        } catch (IOException e) {
            return but(String.valueOf(e.getMessage()));
        }
    }

    /** A defect, behind the device that could be used if there is one. */
    private String but(String defect) {
        String device = device();
        return device == null ? defect : "device " + device + " is there, but " + defect;
    }

    /** The first device, or {@code null} if there is none. */
    private @Nullable String device() {
        String[] names = devices.list();
        return names == null || names.length == 0 ? null : names[0];
    }

    @Override
    public Installation install() throws IOException {
        DisniRequirements.check(machine);
        RdmaProvider provider;
        try {
            provider = loader.load();
        } catch (LinkageError | RuntimeException | IOException e) {
            throw new IOException(
                    but("libdisni does not load (" + e
                            + "); build it from the DiSNI sources and put it on java.library.path"),
                    e);
        }
        try {
            RdmaEventChannel trial = provider.openCm().createEventChannel();
            if (trial == null) {
                throw new IOException("no event channel");
            }
            NativeErrors.freed(trial.destroyEventChannel(), "event channel");
            String device = device();
            return new Installation(
                    provider,
                    adapt(provider),
                    (device == null ? "" : "device " + device + " is there and ") + "libdisni loads");
        } catch (LinkageError | RuntimeException | IOException e) {
            throw new IOException(but("libdisni loads, and cannot open an event channel (" + e + ')'), e);
        }
    }

    @Override
    public VerbsExtensions adapt(RdmaProvider provider) throws IOException {
        return new DisniVerbsExtensions(provider.openCm()::createEventChannel);
    }
}
