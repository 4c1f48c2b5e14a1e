// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import io.nettyrdma.channel.Rdma;
import io.nettyrdma.verbs.ProviderNeed;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Says whether RDMA works on this machine, why not, and what to do, in a report for others to read. */
public final class Doctor {

    /** The time of the proof of RDMA, as a multiple of that of TCP, which has fewer steps. */
    private static final int RDMA_SHARE = 2;

    private final Machine machine;
    private final Consumer<String> out;
    private final long deadline;
    private final int seconds;
    private final Map<String, List<ProviderNeed>> needs;
    private final boolean isTimed;
    private final List<String> failures = new ArrayList<>();
    private final List<String> reservations = new ArrayList<>();

    private Doctor(Machine machine, Map<String, List<ProviderNeed>> needs, int seconds, Consumer<String> out) {
        this.machine = machine;
        this.needs = needs;
        this.out = out;
        this.seconds = seconds;
        isTimed = !machine.isBusy(); // before the proofs use the processors
        deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Examines this machine for half a minute at most, and writes {@code rdma-doctor.txt}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.exit(run(System.out::println, Path.of("rdma-doctor.txt"), 30));
    }

    /**
     * Examines this machine.
     *
     * @param out     gets the lines of the report
     * @param file    to write the report to, replaced if it is a regular file; names and addresses of the machine are
     *                masked
     * @param seconds that all proofs together may take, 10 or more
     * @return 0 if devices work and the rest as well, 1 if it works with a reservation, 2 if something fails
     */
    public static int run(Consumer<String> out, Path file, int seconds) throws IOException, InterruptedException {
        return run(Path.of("/"), Rdma.needs(), out, file, seconds);
    }

    static int run(Path root, Map<String, List<ProviderNeed>> needs, Consumer<String> out, Path file, int seconds)
            throws IOException, InterruptedException {
        Machine machine = new Machine(root);
        Mask mask = new Mask(machine.read("proc/sys/kernel/hostname"), System.getProperty("user.name", ""));
        try (PrintWriter report = open(file)) {
            Doctor doctor = new Doctor(machine, needs, seconds, line -> {
                String masked = mask.apply(line);
                report.println(masked);
                out.accept(masked);
            });
            int code = doctor.examine(file);
            if (report.checkError()) {
                throw new IOException("cannot write the report to " + file);
            }
            return code;
        }
    }

    /** Before the proofs, which take their time. What others may have put there, such as a link, is not followed. */
    private static PrintWriter open(Path file) throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(file + " is not a regular file; choose another place for the report");
        }
        return new PrintWriter(Files.newBufferedWriter(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS));
    }

    private int examine(Path file) throws IOException, InterruptedException {
        out.accept("== this machine");
        machine.describe(out);
        describeNeeds();
        describeChoice();
        proveDevices();
        prove("the software provider", "soft", "rdma", List.of(InetAddress.getLoopbackAddress()), RDMA_SHARE + 1);
        prove("TCP, to compare with", "soft", "tcp", List.of(InetAddress.getLoopbackAddress()), 1);
        int code = verdict();
        out.accept("Please send " + file.getFileName()
                + ", the report of examples/run doctor: CONTRIBUTING.md says where, under \"Ask and report\".");
        return code;
    }

    private void describeNeeds() {
        needs.forEach((provider, list) -> {
            out.accept("== needs of provider " + provider + (list.isEmpty() ? ": none" : ""));
            for (ProviderNeed need : list) {
                if (need.defect() == null) {
                    out.accept("ok      " + need.what());
                } else {
                    out.accept("missing " + need.what() + ": " + need.defect());
                    out.accept("        mend by: " + need.remedy());
                }
            }
        });
    }

    private void describeChoice() {
        out.accept("== the choice");
        try {
            out.accept(Rdma.report());
            Throwable cause = Rdma.unavailabilityCause();
            if (cause != null) {
                reservations.add(Objects.toString(cause.getMessage(), cause.toString()));
            }
        } catch (IllegalArgumentException e) { // an unknown system property
            failures.add(String.valueOf(e.getMessage()));
        }
        if (machine.hasLittleLockedMemory() && !machine.devices().isEmpty()) {
            reservations.add("little memory may be locked: ulimit -l unlimited, for a container"
                    + " docker run --ulimit memlock=-1");
        }
    }

    private void proveDevices() throws IOException, InterruptedException {
        List<Machine.Device> devices = machine.devices();
        List<String> ready = needs.entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .filter(entry -> entry.getValue().stream().allMatch(need -> need.defect() == null))
                .map(Map.Entry::getKey)
                .toList();
        if (ready.isEmpty()) {
            reservations.add("only in software: "
                    + needs.values().stream()
                            .flatMap(List::stream)
                            .map(ProviderNeed::defect)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElse("no provider for devices"));
        }
        int shares = RDMA_SHARE * (ready.size() * devices.size() + 1) + 1;
        for (String provider : ready) {
            for (Machine.Device device : devices) {
                List<InetAddress> addresses = addresses(device);
                if (addresses.isEmpty()) {
                    reservations.add("device " + device.name() + " is not proved: its interface has no address;"
                            + " ip address add ADDRESS dev INTERFACE");
                } else {
                    prove("provider " + provider + ", device " + device.name(), provider, "rdma", addresses, shares);
                }
                shares -= RDMA_SHARE;
            }
        }
    }

    /** Addresses of a device's interfaces, or of all where those are not known; of IPv4 first. */
    private static List<InetAddress> addresses(Machine.Device device) throws IOException {
        List<NetworkInterface> all = Collections.list(NetworkInterface.getNetworkInterfaces());
        return all.stream()
                .filter(one ->
                        device.interfaces().isEmpty() || device.interfaces().contains(one.getName()))
                .flatMap(one -> one.getInterfaceAddresses().stream())
                .map(InterfaceAddress::getAddress)
                .filter(address -> !address.isLoopbackAddress())
                .sorted(Comparator.comparingInt(address -> address.getAddress().length))
                .toList();
    }

    /** @param shares of the time that is left, for this proof and those behind it */
    private void prove(String what, String provider, String transport, List<InetAddress> addresses, int shares)
            throws IOException, InterruptedException {
        out.accept("== proof of " + what);
        int own = transport.equals("tcp") ? 1 : RDMA_SHARE;
        long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) * own / shares;
        List<String> arguments = Stream.concat(
                        Stream.of(
                                transport,
                                isTimed ? Proof.TIMED : "untimed",
                                String.valueOf(Math.max(1, seconds / 10))),
                        addresses.stream().map(InetAddress::getHostAddress))
                .toList();
        String failure = Trial.run(provider, arguments, millis, out);
        if (failure != null) {
            failures.add(what + ": " + failure);
        }
    }

    private int verdict() {
        out.accept("== verdict");
        out.accept(
                !failures.isEmpty()
                        ? "fails because " + String.join("; ", failures)
                        : reservations.isEmpty() ? "works" : "works, but " + String.join("; ", reservations));
        return !failures.isEmpty() ? 2 : reservations.isEmpty() ? 0 : 1;
    }
}
