// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.choice;

import io.nettyrdma.verbs.ProviderNeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The needs that all providers over devices of the kernel share: a device, and the files through which a program uses
 * it.
 *
 * <p>Threading: immutable.
 */
public final class DeviceNeeds {

    /** The root of this machine's files. */
    public static final Path ROOT = Path.of("/");

    /** What a program opens to make connections. */
    private static final String CONNECTION_MANAGER = "rdma_cm";

    /** What it opens to use a device: one file for each. */
    private static final String DEVICE_FILES = "uverbs";

    private final Path devices;
    private final Path files;

    /** @param root of the files of the machine, {@link #ROOT} but for tests */
    public DeviceNeeds(Path root) {
        devices = root.resolve("sys/class/infiniband");
        files = root.resolve("dev/infiniband");
    }

    /** Returns the first device, or {@code null} if there is none. */
    public @Nullable String device() {
        String[] names = devices.toFile().list();
        return names == null || names.length == 0 ? null : names[0];
    }

    /** Returns the need of a device. */
    public ProviderNeed anyDevice() {
        return new ProviderNeed(
                "an RDMA device",
                device() == null ? "no RDMA device in " + devices : null,
                "load the driver of the hardware; without hardware:"
                        + " modprobe siw && rdma link add siw0 type siw netdev eth0");
    }

    /** Returns the need of the file through which programs make connections. */
    public ProviderNeed connectionManager() {
        Path file = files.resolve(CONNECTION_MANAGER);
        String what = "access to " + file;
        if (Files.notExists(file)) {
            return new ProviderNeed(
                    what,
                    file + " does not exist; load the kernel module rdma_ucm, or give it to this container",
                    "modprobe rdma_ucm; for a container: docker run --ulimit memlock=-1 --device=" + file);
        }
        String defect = "this user may not read and write " + file + "; give it access to the files in " + files;
        return new ProviderNeed(what, isUsable(file) ? null : defect, remedyFor(file));
    }

    /** Returns the need of the file of one device. */
    public ProviderNeed deviceFiles() {
        String[] names = files.toFile().list((directory, name) -> name.startsWith(DEVICE_FILES));
        Path all = files.resolve(DEVICE_FILES + '*');
        boolean met = names != null && Stream.of(names).map(files::resolve).anyMatch(DeviceNeeds::isUsable);
        return new ProviderNeed(
                "access to " + all,
                met
                        ? null
                        : "there is no " + all + " that this user may read and write; load the kernel module ib_uverbs,"
                                + " and give this user access to the files in " + files,
                names == null || names.length == 0
                        ? "modprobe ib_uverbs; for a container: docker run --ulimit memlock=-1 --device="
                                + files.resolve("uverbs0")
                        : remedyFor(files.resolve(names[0])));
    }

    private static boolean isUsable(Path file) {
        return Files.isReadable(file) && Files.isWritable(file);
    }

    /** The group of a file that its group may use, else the right for all. */
    private static String remedyFor(Path file) {
        try {
            PosixFileAttributes is = Files.readAttributes(file, PosixFileAttributes.class);
            return remedy(file, is.group().getName(), is.permissions());
        } catch (IOException | UnsupportedOperationException e) {
            return remedy(file, "root", Set.of());
        }
    }

    static String remedy(Path file, String group, Set<PosixFilePermission> permissions) {
        boolean ofGroup = !group.equals("root")
                && permissions.contains(PosixFilePermission.GROUP_READ)
                && permissions.contains(PosixFilePermission.GROUP_WRITE);
        return ofGroup ? "usermod -aG " + group + " $USER, and log in again" : "chmod a+rw " + file;
    }

    /**
     * Returns the first defect among needs, behind the device that could be used if there is one, or {@code null}.
     *
     * @param provider the name of the provider
     * @param needs    checked one after the other, up to the first that is not met
     */
    public @Nullable String whyNot(String provider, Stream<ProviderNeed> needs) {
        String defect = needs.filter(need -> need.defect() != null)
                .findFirst()
                .map(ProviderNeed::defect)
                .orElse(null);
        return defect == null ? null : but(provider, defect);
    }

    /** Returns a defect, behind the device that could be used if there is one. */
    public String but(String provider, String defect) {
        String device = device();
        return device == null
                ? defect
                : "device " + device + " is there, but provider " + provider + " cannot use it: " + defect;
    }
}
