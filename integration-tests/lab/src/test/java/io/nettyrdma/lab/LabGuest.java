// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A Linux guest in QEMU with the {@code siw} driver on its network card: the lab's real peer. It sees this machine's
 * root read-only and runs bash commands for the tests; one boot serves many tests.
 *
 * <p>The guest's connections to {@value #HOST_ADDRESS} arrive at this machine's 127.0.0.1; {@link #forward} is the
 * other direction.
 *
 * <p>Threading: any thread. Ownership: owns QEMU, ended by {@link #close()}, by the end of this JVM or by a time limit.
 */
final class LabGuest implements AutoCloseable {
    /** The guest's address. Loopback over siw works with this one only, not with 127.0.0.1. */
    static final String GUEST_ADDRESS = "10.0.2.15";
    /** What the guest calls this machine's 127.0.0.1. */
    static final String HOST_ADDRESS = "10.0.2.2";
    /** The folder that guest and host share, in the guest. */
    static final String SHARE_IN_GUEST = "/run/lab";

    private static final Duration BOOT_LIMIT = Duration.ofSeconds(180);
    private static final Duration LIFE_LIMIT = Duration.ofMinutes(60);

    /**
     * One processor while the kernel boots; the guest's {@code init} brings the other one up. QEMU before 8.1 does not
     * keep one processor from translating code that another is just patching: it may go on with a breakpoint that is no
     * longer there, in which a boot of Linux 6.12 has ended; 2 of 39 have panicked.
     */
    private static final String KERNEL_OPTIONS = "console=ttyS0 quiet panic=-1 mitigations=off maxcpus=1";

    private final Process qemu;
    private final Path dir;
    private final Path socketDir;
    private final GuestConsole console;
    private final QemuMonitor monitor;
    private final Thread endWithJvm;
    private final Map<Integer, Integer> forwards = new ConcurrentHashMap<>();
    private final AtomicInteger commands = new AtomicInteger();

    private LabGuest(Process qemu, Path dir, Path socketDir) throws IOException {
        this.qemu = qemu;
        this.dir = dir;
        this.socketDir = socketDir;
        endWithJvm = new Thread(this::endWithJvm, "lab-guest-end");
        Runtime.getRuntime().addShutdownHook(endWithJvm);
        console = new GuestConsole(qemu.getInputStream(), dir.resolve("console.log"));
        Path socket = socketDir.resolve("qmp");
        try {
            Await.until(
                    "QEMU's monitor socket",
                    Deadline.DURATION,
                    () -> !isAlive() || Files.exists(socket),
                    this::consoleTail);
            assertAlive();
            monitor = QemuMonitor.connect(socket);
        } catch (IOException | RuntimeException | AssertionError e) {
            end();
            throw e;
        }
    }

    /** Boots a guest and waits until it takes commands. */
    static LabGuest boot() throws IOException {
        LabRequirements.requireGuest();
        String started = DateTimeFormatter.ofPattern("HHmmss-SSS").format(LocalDateTime.now()) + "-"
                + ProcessHandle.current().pid();
        Path dir = Files.createDirectories(LabRequirements.moduleDir().resolve("target/lab/guest-" + started));
        Files.createDirectories(dir.resolve("share/commands"));
        // A Unix socket's path has room for about 100 characters, so it cannot live below the module.
        Path socketDir = Files.createTempDirectory("rdma-lab");
        Process qemu = new ProcessBuilder(commandLine(dir.resolve("share"), socketDir.resolve("qmp")))
                .redirectErrorStream(true)
                .start();
        LabGuest guest = new LabGuest(qemu, dir, socketDir);
        try {
            guest.awaitMarker("LAB: ready", BOOT_LIMIT);
            return guest;
        } catch (IOException | RuntimeException | AssertionError e) {
            guest.close();
            throw e;
        }
    }

    private static List<String> commandLine(Path share, Path socket) {
        Path prepared = LabRequirements.preparedDir();
        List<String> line = new ArrayList<>();
        // timeout is QEMU's parent, so that a guest outlives a killed JVM by an hour at most.
        line.addAll(List.of("timeout", "-k", "5", LIFE_LIMIT.toSeconds() + "s", "qemu-system-x86_64"));
        line.addAll(List.of("-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "2048"));
        line.addAll(List.of("-nodefaults", "-display", "none", "-no-reboot", "-monitor", "none", "-serial", "stdio"));
        line.addAll(List.of("-qmp", "unix:" + escaped(socket) + ",server=on,wait=off"));
        line.addAll(List.of("-kernel", prepared.resolve("vmlinuz").toString()));
        line.addAll(List.of("-initrd", prepared.resolve("initrd").toString()));
        long seconds = LIFE_LIMIT.minusSeconds(20).toSeconds();
        line.addAll(List.of("-append", KERNEL_OPTIONS + " lab.seconds=" + seconds));
        shared(line, "hostroot", Path.of("/"), "readonly=on,multidevs=remap");
        shared(line, "guest", LabRequirements.moduleDir().resolve("guest"), "readonly=on");
        shared(line, "modules", prepared.resolve("modules"), "readonly=on");
        shared(line, "lab", share, "readonly=off");
        line.addAll(List.of("-netdev", "user,id=net0", "-device", "virtio-net-pci,netdev=net0,romfile="));
        return line;
    }

    private static void shared(List<String> line, String tag, Path path, String options) {
        line.addAll(List.of(
                "-fsdev",
                "local,id=" + tag + ",path=" + escaped(path) + ",security_model=none," + options,
                "-device",
                "virtio-9p-pci,fsdev=" + tag + ",mount_tag=" + tag));
    }

    private static String escaped(Path path) {
        return path.toAbsolutePath().toString().replace(",", ",,");
    }

    /** Waits for a console line containing {@code marker}, also one already printed, and returns it. */
    String awaitMarker(String marker, Duration limit) throws IOException {
        return console.await(marker, limit);
    }

    /**
     * Starts bash commands in the guest, with {@code lab/guest/lib.sh} sourced. Several may run side by side.
     *
     * @param limit after which the guest ends them, in whole seconds
     */
    GuestCommand start(String bash, Duration limit) throws IOException {
        assertAlive();
        String name = "%04d".formatted(commands.incrementAndGet());
        Path file = share().resolve(name + ".new");
        Files.writeString(file, "# " + Math.max(1, limit.toSeconds()) + "\n" + bash + "\n");
        // Renamed when complete: the guest takes whatever appears in this directory.
        Files.move(file, share().resolve("commands").resolve(name));
        return new GuestCommand(this, name, bash, limit);
    }

    /** Runs bash commands in the guest and waits for their end. */
    GuestResult run(String bash, Duration limit) throws IOException {
        return start(bash, limit).await();
    }

    /** Waits until something in the guest listens on a TCP port; siw's RDMA listeners show as such. */
    void awaitListening(int port, Duration limit) throws IOException {
        run("lab_await_listening " + port + " " + limit.toSeconds(), limit.plusSeconds(5))
                .assertSucceeded();
    }

    /** Starts an NFS server in the guest, RDMA port 20049, exporting {@code /export}; once per boot. */
    void startNfsServer() throws IOException {
        run("lab_nfsd /export", Deadline.DURATION).assertSucceeded();
    }

    /** Returns the port of this machine's 127.0.0.1 that leads to a port of the guest. */
    int forward(int guestPort) throws IOException {
        Integer known = forwards.get(guestPort);
        if (known == null) {
            known = monitor.forward(guestPort);
            forwards.put(guestPort, known);
        }
        return known;
    }

    /**
     * Joins this guest to another by a cable that nobody else is on: {@code eth1} of both.
     *
     * @param address      of this guest on it
     * @param otherAddress in the same network of 24 bits
     */
    void join(LabGuest other, String address, String otherAddress) throws IOException {
        Path cable = socketDir.resolve("cable");
        plug(cable, true, "52:54:00:00:00:01", address);
        other.plug(cable, false, "52:54:00:00:00:02", otherAddress);
    }

    private void plug(Path cable, boolean listens, String hardwareAddress, String address) throws IOException {
        monitor.addCard(cable, listens, hardwareAddress);
        run(
                        "lab_await " + Deadline.SECONDS + " eth1 test -e /sys/class/net/eth1 && ip address add "
                                + address + "/24 dev eth1 && ip link set eth1 up",
                        Deadline.DURATION.multipliedBy(2))
                .assertSucceeded();
    }

    /** This machine's name for the guest's {@code /run/lab}, where both may write. */
    Path share() {
        return dir.resolve("share");
    }

    String consoleTail() {
        return console.tail();
    }

    boolean isAlive() {
        return qemu.isAlive();
    }

    void assertAlive() {
        if (!isAlive()) {
            throw new AssertionError("QEMU has ended, status " + qemu.exitValue() + "\n" + consoleTail());
        }
    }

    @Override
    public void close() throws IOException {
        try {
            monitor.close();
        } finally {
            end();
        }
    }

    /** The way a guest ends that all tests of a JVM share. */
    private void endWithJvm() {
        qemu.destroy();
        try {
            Await.ended(qemu, Deadline.DURATION);
            deleteSockets();
        } catch (IOException e) {
            System.err.println("a guest has left something in " + socketDir + ": " + e);
        }
    }

    private void deleteSockets() throws IOException {
        Files.deleteIfExists(socketDir.resolve("qmp"));
        Files.deleteIfExists(socketDir.resolve("cable"));
        Files.deleteIfExists(socketDir);
    }

    private void end() throws IOException {
        List<ProcessHandle> children = qemu.descendants().toList();
        qemu.destroy();
        if (!Await.ended(qemu, Deadline.DURATION)) {
            children.forEach(ProcessHandle::destroyForcibly);
            qemu.destroyForcibly();
            throw new IOException("QEMU did not end within " + Deadline.SECONDS + " s and was killed");
        }
        Runtime.getRuntime().removeShutdownHook(endWithJvm);
        deleteSockets();
    }
}
