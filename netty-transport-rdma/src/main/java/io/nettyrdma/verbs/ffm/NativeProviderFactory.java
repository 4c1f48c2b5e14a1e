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
package io.nettyrdma.verbs.ffm;

import io.nettyrdma.verbs.ProviderKind;
import io.nettyrdma.verbs.RdmaProviderFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Offers the provider over libibverbs and librdmacm. Nothing of either is touched where there is no device. */
public final class NativeProviderFactory implements RdmaProviderFactory {

    /** Before DiSNI's own. */
    private static final int ORDER = 50;

    private static final File DEVICES = new File("/sys/class/infiniband");
    private static final Path CONNECTION_MANAGER = Path.of("/dev/infiniband/rdma_cm");

    private final File devices;
    private final Path connectionManager;

    /** For {@link java.util.ServiceLoader}. */
    public NativeProviderFactory() {
        this(DEVICES, CONNECTION_MANAGER);
    }

    /** @param devices the directory with an entry per RDMA device */
    NativeProviderFactory(File devices, Path connectionManager) {
        this.devices = devices;
        this.connectionManager = connectionManager;
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
        return defect == null ? null : "device " + device + " is there, but provider native cannot use it: " + defect;
    }

    private @Nullable String defect() {
        String defect = Foreign.whyNot();
        if (defect != null) {
            return defect;
        }
        if (!Files.exists(connectionManager)) {
            return connectionManager + " does not exist; load the kernel module rdma_ucm";
        }
        if (!Files.isReadable(connectionManager) || !Files.isWritable(connectionManager)) {
            return "this user may not read and write " + connectionManager
                    + "; give it access to the files in /dev/infiniband";
        }
        return null;
    }

    @Override
    public Installation install() throws IOException {
        String defect = defect();
        if (defect != null) {
            throw new IOException("provider native cannot be used: " + defect);
        }
        NativeProvider provider = NativeProvider.load();
        String device = device();
        return new Installation(
                provider,
                provider.extensions(),
                "libibverbs and librdmacm" + (device == null ? "" : ", device " + device + " is there"));
    }
}
