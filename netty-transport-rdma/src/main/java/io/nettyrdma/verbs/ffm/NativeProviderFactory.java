// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.spi.RdmaProviderFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Offers the provider over libibverbs and librdmacm. Nothing of either is touched where there is no device. */
public final class NativeProviderFactory implements RdmaProviderFactory {

    /** Before DiSNI's own. */
    private static final int ORDER = 50;

    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final Path FILES = Path.of("/dev/infiniband");

    /** What an application opens to make connections. */
    private static final String CONNECTION_MANAGER = "rdma_cm";

    /** What it opens to use a device: one file for each. */
    private static final String DEVICE_FILES = "uverbs";

    private final File devices;
    private final Path files;

    /** For {@link java.util.ServiceLoader}. */
    public NativeProviderFactory() {
        this(DEVICES, FILES);
    }

    /**
     * @param devices the directory with an entry per RDMA device
     * @param files   the directory of the files through which they are used
     */
    NativeProviderFactory(Path devices, Path files) {
        this.devices = devices.toFile();
        this.files = files;
    }

    @Override
    public String name() {
        return "native";
    }

    @Override
    public ProviderKind kind() {
        return ProviderKind.DEVICE;
    }

    @Override
    public int order() {
        return ORDER;
    }

    private @Nullable String device() {
        String[] names = devices.list();
        return names == null || names.length == 0 ? null : names[0];
    }

    @Override
    public @Nullable String whyNot() {
        String device = device();
        if (device == null) {
            return "no RDMA device in " + devices;
        }
        String defect = defect();
        return defect == null ? null : but(device, defect);
    }

    private static String but(String device, String defect) {
        return "device " + device + " is there, but provider native cannot use it: " + defect;
    }

    private @Nullable String defect() {
        String defect = Foreign.whyNot();
        if (defect != null) {
            return defect;
        }
        Path connectionManager = files.resolve(CONNECTION_MANAGER);
        if (Files.notExists(connectionManager)) {
            return connectionManager + " does not exist; load the kernel module rdma_ucm, or give it to this container";
        }
        if (!isUsable(connectionManager)) {
            return "this user may not read and write " + connectionManager + "; give it access to the files in "
                    + files;
        }
        String[] found = files.toFile().list((directory, name) -> name.startsWith(DEVICE_FILES));
        if (found == null || Arrays.stream(found).map(files::resolve).noneMatch(NativeProviderFactory::isUsable)) {
            return "there is no " + files.resolve(DEVICE_FILES) + "* that this user may read and write; load the kernel"
                    + " module ib_uverbs, and give this user access to the files in " + files;
        }
        return null;
    }

    private static boolean isUsable(Path file) {
        return Files.isReadable(file) && Files.isWritable(file);
    }

    @Override
    public Installation install() throws IOException {
        String whyNot = whyNot();
        if (whyNot != null) {
            throw new IOException(whyNot);
        }
        String device = String.valueOf(device());
        try {
            NativeProvider provider = NativeProvider.load();
            return new Installation(
                    provider, provider.extensions(), "libibverbs and librdmacm, device " + device + " is there");
        } catch (IOException e) {
            throw new IOException(but(device, String.valueOf(e.getMessage())), e);
        }
    }
}
