// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import io.netty.util.Version;
import io.nettyrdma.channel.Rdma;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads what a Linux machine has for RDMA. Changes and opens nothing. */
final class Machine {

    /** Less is soon used up: an event loop with one connection takes 1 MiB and more. */
    private static final long LITTLE_LOCKED_MEMORY = 8 << 20;

    private static final List<String> MODULES =
            List.of("ib_core", "ib_uverbs", "rdma_cm", "rdma_ucm", "iw_cm", "ib_cm", "siw", "rdma_rxe");
    /** Of cards; named if they are there. */
    private static final List<String> DRIVERS = List.of(
            "iw_cxgb4",
            "qedr",
            "irdma",
            "mlx4_ib",
            "mlx5_ib",
            "bnxt_re",
            "hns_roce_hw_v2",
            "efa",
            "erdma",
            "mana_ib",
            "ionic_rdma");

    private static final List<String> LIBRARIES = List.of("libibverbs.so.1", "librdmacm.so.1");
    private static final List<String> LIBRARY_FOLDERS =
            List.of("usr/lib64", "lib64", "usr/lib", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu");

    private final Path root;

    /** @param root of its files, {@code /} but for tests */
    Machine(Path root) {
        this.root = root;
    }

    /**
     * An RDMA device.
     *
     * @param interfaces of the network that it is known to serve, none if unknown
     */
    record Device(String name, List<String> interfaces) {}

    /** Tells everything, line by line. */
    void describe(Consumer<String> out) {
        out.accept("java: " + property("java.vendor") + ' ' + property("java.version"));
        out.accept("flags: " + orNone(flags().stream().map(Machine::withoutPath)));
        String library = Rdma.class.getPackage().getImplementationVersion();
        out.accept("library: " + (library == null ? "from classes, without a version" : library) + ", "
                + Version.identify().get("netty-transport"));
        out.accept("system: " + property("os.name") + ' ' + property("os.version") + ' ' + property("os.arch")
                + (isContainer() ? ", in a container" : ", no sign of a container"));
        out.accept("load: " + load() + " of " + Runtime.getRuntime().availableProcessors() + " processors"
                + (isBusy() ? ", too much to measure: the proofs tell no times; run this again when less runs" : ""));
        out.accept("limits: locked memory " + limit("Max locked memory") + ", open files " + limit("Max open files"));
        out.accept("kernel modules: "
                + orNone(Stream.of(MODULES, DRIVERS).flatMap(List::stream).filter(this::hasModule)) + "; not seen: "
                + orNone(MODULES.stream().filter(module -> !hasModule(module))));
        LIBRARIES.forEach(name -> out.accept(name + ": " + library(name)));
        entries("dev/infiniband").forEach(file -> out.accept(file + ": " + rights(file)));
        devices().forEach(device -> describe(device, out));
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }

    private static String orNone(Stream<String> words) {
        String joined = words.collect(Collectors.joining(" "));
        return joined.isEmpty() ? "none" : joined;
    }

    /** The options of this JVM that matter to RDMA and name nothing private. */
    static List<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.matches("(-XX:|--add-|--enable-|-Dio\\.nettyrdma\\.).*"))
                .toList();
    }

    private static String withoutPath(String flag) {
        return flag.matches("-XX:[^=]*=.*/.*") ? flag.replaceFirst("=.*", "=...") : flag;
    }

    private boolean isContainer() {
        return Files.exists(root.resolve(".dockerenv"))
                || Files.exists(root.resolve("run/.containerenv"))
                || read("proc/1/cgroup").matches("(?s).*(docker|kubepods|containerd|lxc).*");
    }

    private String limit(String name) {
        return read("proc/self/limits")
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split(" +")[0])
                .findFirst()
                .orElse("unknown");
    }

    /** Whether registrations may soon fail. */
    boolean hasLittleLockedMemory() {
        String limit = limit("Max locked memory");
        return limit.matches("\\d{1,18}") && Long.parseLong(limit) < LITTLE_LOCKED_MEMORY;
    }

    private String load() {
        String load = read("proc/loadavg").split(" ")[0];
        return load.isEmpty() ? "unknown" : load;
    }

    /** Whether other programs use the processors so much that times say nothing. */
    boolean isBusy() {
        return load().matches("[\\d.]+")
                && Double.parseDouble(load()) > Runtime.getRuntime().availableProcessors() / 2.0;
    }

    private boolean hasModule(String name) {
        return Files.exists(root.resolve("sys/module").resolve(name))
                || read("proc/modules").lines().anyMatch(line -> line.startsWith(name + ' '));
    }

    /** A library's name has its version, behind the links to it. */
    private String library(String name) {
        return LIBRARY_FOLDERS.stream()
                .map(folder -> root.resolve(folder).resolve(name))
                .filter(Files::exists)
                .findFirst()
                .map(file -> {
                    try {
                        return file.toRealPath().toString();
                    } catch (IOException e) {
                        return file.toString();
                    }
                })
                .orElse("in no usual folder");
    }

    private static String rights(Path file) {
        String own = (Files.isReadable(file) ? "readable" : "not readable")
                + (Files.isWritable(file) ? ", writable" : ", not writable");
        try {
            PosixFileAttributes of = Files.readAttributes(file, PosixFileAttributes.class);
            return own + " (" + PosixFilePermissions.toString(of.permissions()) + ' ' + of.owner() + ' ' + of.group()
                    + ')';
        } catch (IOException e) {
            return own;
        }
    }

    List<Device> devices() {
        return entries("sys/class/infiniband").stream()
                .map(folder -> new Device(folder.getFileName().toString(), interfaces(folder)))
                .toList();
    }

    private void describe(Device device, Consumer<String> out) {
        String folder = "sys/class/infiniband/" + device.name + '/';
        out.accept("device " + device.name + values(folder, "node_type", "fw_ver", "board_id") + ", driver "
                + driver(folder) + ", interfaces "
                + orNone(device.interfaces.stream()
                        .map(name -> name + values("sys/class/net/" + name + '/', "mtu", "operstate"))));
        for (Path port : entries(folder + "ports")) {
            out.accept("device " + device.name + " port " + port.getFileName()
                    + values(root.relativize(port) + "/", "state", "phys_state", "link_layer", "rate"));
        }
    }

    /** The files of a folder that this user can read, with their names. */
    private String values(String folder, String... names) {
        return Stream.of(names)
                .map(name -> name + ' ' + read(folder + name))
                .filter(value -> !value.endsWith(" "))
                .collect(Collectors.joining(", ", ": ", ""));
    }

    private String driver(String folder) {
        try {
            Path driver = root.resolve(folder + "device/driver").toRealPath().getFileName();
            return Objects.toString(driver, "unknown");
        } catch (IOException e) {
            return "of software";
        }
    }

    /** The interfaces of a device: as RoCE names them, its own in hardware, or those with the address in its GID. */
    private List<String> interfaces(Path device) {
        String folder = root.relativize(device) + "/";
        List<String> names = new ArrayList<>();
        names.add(read(folder + "ports/1/gid_attrs/ndevs/0"));
        names.add(read(folder + "parent"));
        entries(folder + "device/net").forEach(entry -> names.add(String.valueOf(entry.getFileName())));
        String gid = read(folder + "ports/1/gids/0").replace(":", "");
        for (Path entry : entries("sys/class/net")) {
            String address = read(root.relativize(entry) + "/address").replace(":", "");
            if (address.matches("[0-9a-f]{12}") && !address.equals("000000000000") && gid.startsWith(address)) {
                names.add(String.valueOf(entry.getFileName()));
            }
        }
        return names.stream()
                .filter(name -> !name.isEmpty() && Files.exists(root.resolve("sys/class/net/" + name)))
                .distinct()
                .toList();
    }

    /** The words of a file, empty if this user cannot read it. */
    String read(String file) {
        try {
            return Files.readString(root.resolve(file)).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private List<Path> entries(String folder) {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(root.resolve(folder))) {
            stream.forEach(entries::add);
        } catch (IOException e) {
            // There is none.
        }
        entries.sort(null);
        return entries;
    }
}
