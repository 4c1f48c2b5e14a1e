// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.ProviderNeed;
import io.nettyrdma.verbs.choice.DeviceNeeds;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Offers the provider over libibverbs and librdmacm. Nothing of either is touched where there is no device. */
public final class NativeProviderFactory implements RdmaProviderFactory {

    /** Before DiSNI's own. */
    private static final int ORDER = 50;

    private static final String NAME = "native";

    private final DeviceNeeds devices;

    /** For {@link java.util.ServiceLoader}. */
    public NativeProviderFactory() {
        this(DeviceNeeds.ROOT);
    }

    /** @param root of the files of the machine */
    NativeProviderFactory(Path root) {
        devices = new DeviceNeeds(root);
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
        return Stream.<Supplier<ProviderNeed>>of(
                        devices::anyDevice,
                        NativeProviderFactory::java,
                        devices::connectionManager,
                        devices::deviceFiles,
                        NativeProviderFactory::nativeAccess,
                        () -> RdmaCoreLibrary.need(DeviceNeeds.ROOT, Foreign.whyNot() == null))
                .map(Supplier::get);
    }

    private static ProviderNeed java() {
        return new ProviderNeed(
                "Java " + Foreign.OLDEST_JAVA + " or newer",
                Foreign.whyNot(),
                "export JAVA_HOME=FOLDER, of a JDK " + Foreign.OLDEST_JAVA + " or newer");
    }

    /** Loads a library, which is what may be denied. */
    private static ProviderNeed nativeAccess() {
        String option = "--enable-native-access=" + Foreign.moduleName();
        String defect = null;
        try {
            if (Foreign.whyNot() == null) {
                RdmaCoreLibrary.load(RdmaCoreLibrary.VERBS);
            }
        } catch (IllegalCallerException e) {
            defect = "native access is denied (" + e.getMessage() + "); start Java with " + option;
        } catch (UnsatisfiedLinkError e) {
            // Another need says so.
        }
        return new ProviderNeed("native access", defect, option);
    }

    @Override
    public @Nullable String whyNot() {
        return devices.whyNot(NAME, needs());
    }

    @Override
    public Installation install() throws IOException {
        String whyNot = whyNot();
        if (whyNot != null) {
            throw new IOException(whyNot);
        }
        try {
            NativeProvider provider = NativeProvider.load();
            return new Installation(
                    provider,
                    provider.extensions(),
                    "libibverbs and librdmacm, device " + devices.device() + " is there");
        } catch (IOException e) {
            throw new IOException(devices.but(NAME, String.valueOf(e.getMessage())), e);
        }
    }
}
