// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.channel.KernelContracts;
import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A guest with one device of the kernel, and JVMs in it that run tests over the provider {@code native}.
 *
 * <p>Ownership: owns the guest.
 */
final class DeviceGuest implements AutoCloseable {

    /** Of a JVM in the guest: about 5 minutes on an idle machine, four times as many beside busy processes. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    /** Where the guest's JVMs write which tests do not apply to the device, in the share. */
    private static final String RESULTS = "conformance";

    private static final String CONTRACTS = "contracts";
    /** Where a JVM in the guest that crashes says where it was, in the share. */
    private static final String CRASH = "crash.log";

    private static final int CRASH_LINES = 80;

    private static final String SECOND_ADDRESS = "10.0.3.15";
    private static final String CABLE_ADDRESS = "10.0.9.1";
    private static final String OTHER_END = "10.0.9.2";
    private static final int RPING_PORT = 7174;
    private static final String IPV6_ADDRESS = "fd00::15";

    enum Device {
        SIW("true"),
        RXE("lab_rxe");

        private final String setUp;

        Device(String setUp) {
            this.setUp = setUp;
        }

        private String lowerCase() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Device device;
    private final Path java;
    private final LabGuest guest;
    private long began;

    private DeviceGuest(Device device, Path java, LabGuest guest) {
        this.device = device;
        this.java = java;
        this.guest = guest;
    }

    static DeviceGuest boot(Device device) throws IOException {
        Path java = LabRequirements.requireJavaWithForeignFunctions();
        DeviceGuest made = new DeviceGuest(device, java, LabGuest.boot());
        try {
            // Programs may look their host's own name up.
            made.guest
                    .run(
                            "ip -6 address add " + IPV6_ADDRESS + "/64 dev eth0 nodad && hostname lab"
                                    + " && echo 127.0.1.1 lab >> /etc/hosts && " + device.setUp,
                            Deadline.DURATION)
                    .assertSucceeded();
            return made;
        } catch (IOException | RuntimeException | AssertionError e) {
            made.close();
            throw e;
        }
    }

    LabGuest guest() {
        return guest;
    }

    /**
     * Starts a JVM in the guest for the tests over the device that are in packages and classes.
     *
     * @param names       of them, with a space between
     * @param loadMinutes how long load lasts, where a test is of that
     */
    GuestCommand start(String names, long loadMinutes, String... options) throws IOException {
        String all = String.join(
                " ",
                "-XX:TieredStopAtLevel=1", // the emulator ends JVMs that have another compiler
                "-XX:ErrorFile=" + LabGuest.SHARE_IN_GUEST + '/' + CRASH,
                "-ea",
                "--enable-native-access=ALL-UNNAMED",
                "-Dio.nettyrdma.provider=native",
                "-Dtest.over=" + device.lowerCase(),
                "-Dtest.address=" + LabGuest.GUEST_ADDRESS,
                "-Dtest.address6=" + IPV6_ADDRESS,
                "-Dlab.device=" + device.lowerCase(),
                "-Dlab.captures=" + LabGuest.SHARE_IN_GUEST + "/captures",
                "-Dload.minutes=" + loadMinutes,
                "-Dio.netty.leakDetection.level=paranoid",
                "-Dconformance.target=" + LabGuest.SHARE_IN_GUEST + '/' + RESULTS,
                "-Dconformance.build=" + System.getProperty("conformance.build"),
                "-Djazzer.hooks=false",
                "-Djunit.jupiter.execution.timeout.default=10m", // less than LIMIT: then the output says which hangs
                String.join(" ", options));
        began = System.nanoTime();
        return guest.start(
                "cd /tmp && ulimit -l unlimited && exec " + java + ' ' + all + " -cp '"
                        + System.getProperty("java.class.path") + "' " + KernelContracts.class.getName() + ' '
                        + names,
                LIMIT);
    }

    /** Gives the guest another device of the same kind, and starts a JVM for a class of tests over both. */
    GuestCommand startWithSecondDevice(String className) throws IOException {
        String second = device.lowerCase() + '1';
        guest.run(
                        "ip link add second0 type dummy && ip address add " + SECOND_ADDRESS + "/24 dev second0"
                                + " && ip link set second0 up && rdma link add " + second + " type "
                                + device.lowerCase() + " netdev second0",
                        Deadline.DURATION)
                .assertSucceeded();
        return start(className, 0, "-Dtest.address2=" + SECOND_ADDRESS, "-Dtest.device2=" + second);
    }

    /**
     * Has rping served by another guest, over a device of the same kind, and starts a JVM for a class of tests that
     * connect to it.
     */
    GuestCommand startWithPeer(LabGuest peer, String className) throws IOException {
        guest.join(peer, CABLE_ADDRESS, OTHER_END);
        // siw is there already, for the other card.
        peer.run("rdma link delete siw0", Deadline.DURATION).assertSucceeded();
        String kind = device.lowerCase();
        String module = device == Device.RXE ? "rdma_rxe" : kind;
        String link = "modprobe " + module + " && rdma link add " + kind + "2 type " + kind + " netdev eth1";
        guest.run(link, Deadline.DURATION).assertSucceeded();
        peer.run(link, Deadline.DURATION).assertSucceeded();
        peer.start("rping -s -a " + OTHER_END + " -p " + RPING_PORT, LIMIT);
        peer.run("lab_await_listening " + RPING_PORT + " " + Deadline.SECONDS, LIMIT)
                .assertSucceeded();
        return start(className, 0, "-Dtest.peer=" + OTHER_END + ':' + RPING_PORT);
    }

    /** Waits for the end of tests, all of which have to pass, and prints what they measured. */
    void assertPassed(GuestCommand tests) throws IOException {
        GuestResult result = tests.await();
        String output = result.output();
        assertThat(result.exitCode())
                .as(() -> "tests in the guest with " + device.lowerCase() + '\n' + failures(output) + crash())
                .isZero();
        System.out.printf(
                "%s: %.1f minutes; %s%n",
                device,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) / 60.0,
                output.lines()
                        .filter(line -> line.contains(" passed,")
                                || line.contains(" in turn ")
                                || line.contains("load:")
                                || line.startsWith("repeat ")
                                || line.startsWith("seconds: "))
                        .toList());
        assertThat(output)
                .containsPattern("device " + device.lowerCase() + "[0-2] is there")
                .containsPattern("[1-9][0-9]* passed, [0-9]+ not for this device, 0 failed");
    }

    /**
     * Requires that a test of each class has passed in the guest. A class that has lost its tag or the end of its name
     * is not selected there, and nothing else misses it.
     */
    static void assertRan(GuestCommand tests, Class<?>... classes) throws IOException {
        String seconds = tests.output()
                .lines()
                .filter(line -> line.startsWith("seconds: "))
                .findFirst()
                .orElseThrow();
        assertThat(seconds.replaceFirst("seconds: ", "").split(" \\d+(, )?"))
                .contains(Stream.of(classes).map(Class::getSimpleName).toArray(String[]::new));
    }

    /** Hands over which tests of contracts did not apply to the device, to the check at the end of the build. */
    void keepContractResults() throws IOException {
        String target = System.getProperty("conformance.target");
        if (target == null) {
            return; // started from an editor
        }
        Path kept = Files.createDirectories(Path.of(target, CONTRACTS, device.lowerCase()));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                guest.share().resolve(RESULTS).resolve(CONTRACTS).resolve(device.lowerCase()))) {
            for (Path file : files) {
                Files.copy(file, kept.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** The part of the output of {@link KernelContracts} that says which tests have failed and why, if there is one. */
    private static String failures(String output) {
        int summary = output.indexOf("\nFailures (");
        return summary < 0 ? GuestResult.tail(output) : output.substring(summary + 1);
    }

    /** The threads and frames of a JVM in the guest that has crashed, or nothing. */
    private String crash() {
        try {
            return Files.readString(guest.share().resolve(CRASH))
                    .lines()
                    .dropWhile(line -> !line.contains("T H R E A D"))
                    .limit(CRASH_LINES)
                    .collect(Collectors.joining("\n", "\n", ""));
        } catch (IOException e) {
            return "";
        }
    }

    /** What user space has forgotten is what the kernel counts when the JVM has ended; its own server has no pid. */
    void assertNothingIsLeft() throws IOException {
        String left = guest.run("for what in qp cm_id mr cq pd; do rdma resource show $what; done", Deadline.DURATION)
                .assertSucceeded()
                .output();
        assertThat(left.lines().filter(line -> line.contains(" pid "))).isEmpty();
    }

    @Override
    public void close() throws IOException {
        guest.close();
    }
}
