// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * What this process may have of the device from now on: the kernel counts protection domains, queues and registrations
 * of a control group, and refuses more of them than that has been given, as a device does that has used up its own.
 */
final class DeviceObjects implements AutoCloseable {

    private final String device = Objects.requireNonNull(new File("/sys/class/infiniband").list())[0];
    private final Path groups;
    private final Path own;

    /** None of what is there already counts, and there is no limit yet. */
    DeviceObjects() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/sys/class/infiniband")), "needs root");
        groups = Files.createTempDirectory("groups");
        HostCommand.run("mount", "-t", "cgroup2", "none", groups.toString());
        Files.writeString(groups.resolve("cgroup.subtree_control"), "+rdma");
        own = Files.createDirectory(groups.resolve("few"));
        move(own);
    }

    /** @param count of further objects, or {@code max} */
    void allow(String count) throws IOException {
        Files.writeString(own.resolve("rdma.max"), device + " hca_object=" + count);
    }

    private static void move(Path group) throws IOException {
        Files.writeString(
                group.resolve("cgroup.procs"),
                Long.toString(ProcessHandle.current().pid()));
    }

    @Override
    public void close() throws IOException {
        allow("max");
        move(groups);
        Files.delete(own);
        HostCommand.run("umount", groups.toString());
        Files.delete(groups);
    }
}
