// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tree of files stands for those of the kernel. */
class MachineTest {

    @TempDir
    private Path root;

    private void have(String file, String content) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content + '\n');
    }

    private List<String> described() {
        List<String> lines = new ArrayList<>();
        new Machine(root).describe(lines::add);
        return lines;
    }

    @Test
    void machineWithoutAnythingIsDescribed() {
        assertThat(described())
                .contains(
                        "limits: locked memory unknown, open files unknown",
                        "libibverbs.so.1: in no usual folder",
                        "librdmacm.so.1: in no usual folder")
                .anyMatch(line -> line.startsWith("java: "))
                .anyMatch(line -> line.matches("load: unknown of \\d+ processors"))
                .anyMatch(line -> line.endsWith("no sign of a container"))
                .anyMatch(
                        line -> line.startsWith("kernel modules: none; not seen: ib_core ib_uverbs rdma_cm rdma_ucm"));
        assertThat(new Machine(root).devices()).isEmpty();
        assertThat(new Machine(root).hasLittleLockedMemory()).isFalse();
    }

    @Test
    void limitsModulesLibrariesAndFilesAreDescribed() throws Exception {
        have("proc/self/limits", "Max locked memory         65536                65536                bytes");
        have("proc/modules", "rdma_ucm 40960 0 - Live 0x0000000000000000");
        Files.createDirectories(root.resolve("sys/module/ib_core"));
        have("usr/lib64/libibverbs.so.1.14.44.0", "");
        Files.createSymbolicLink(
                root.resolve("usr/lib64/libibverbs.so.1"), root.resolve("usr/lib64/libibverbs.so.1.14.44.0"));
        have("dev/infiniband/uverbs0", "");
        have("proc/loadavg", "9999.50 1.00 1.00 1/100 1");
        Files.createDirectories(root.resolve("sys/module/qedr"));
        have(".dockerenv", "");

        assertThat(described())
                .contains("limits: locked memory 65536, open files unknown")
                .anyMatch(line -> line.startsWith("kernel modules: ib_core rdma_ucm qedr; not seen: "))
                .anyMatch(line ->
                        line.startsWith("load: 9999.50 of ") && line.endsWith("; run this again when less runs"))
                .anyMatch(line -> line.startsWith("libibverbs.so.1: ") && line.endsWith("/libibverbs.so.1.14.44.0"))
                .anyMatch(line -> line.contains("/dev/infiniband/uverbs0: readable, writable (rw"))
                .anyMatch(line -> line.endsWith(", in a container"));
        assertThat(new Machine(root).hasLittleLockedMemory()).isTrue();
        assertThat(new Machine(root).isBusy()).isTrue();
    }

    @Test
    void devicesAreFoundWithTheirInterfaces() throws Exception {
        have("sys/class/net/eth0/address", "52:54:00:12:34:56");
        have("sys/class/net/eth0/mtu", "1500");
        have("sys/class/net/eth1/address", "52:54:00:00:00:99");
        have("sys/class/net/eth2/address", "52:54:00:00:00:98");
        have("sys/class/infiniband/siw0/node_type", "4: RNIC");
        have("sys/class/infiniband/siw0/fw_ver", "0.0.0");
        have("sys/class/infiniband/siw0/ports/1/gids/0", "5254:0012:3456:0000:0000:0000:0000:0000");
        have("sys/class/infiniband/siw0/ports/1/state", "4: ACTIVE");
        have("sys/class/infiniband/siw0/ports/1/link_layer", "Ethernet");
        have("sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/0", "eth1");
        have("sys/class/infiniband/rxe0/parent", "eth1");
        have("sys/class/infiniband/mlx5_0/device/net/eth2/mtu", "9000");

        assertThat(new Machine(root).devices())
                .containsExactly(
                        new Machine.Device("mlx5_0", List.of("eth2")),
                        new Machine.Device("rxe0", List.of("eth1")),
                        new Machine.Device("siw0", List.of("eth0")));
        assertThat(described())
                .contains(
                        "device siw0: node_type 4: RNIC, fw_ver 0.0.0, driver of software, interfaces eth0: mtu 1500",
                        "device siw0 port 1: state 4: ACTIVE, link_layer Ethernet");
        assertThat(described()).noneMatch(line -> line.contains("5254"));
    }
}
