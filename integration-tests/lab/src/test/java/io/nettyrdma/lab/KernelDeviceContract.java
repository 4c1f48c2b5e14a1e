// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.KernelContracts;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.lab.DeviceGuest.Device;
import io.nettyrdma.lab.Tshark.Payload;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The provider {@code native} over a device of the kernel, in a guest of its own: contracts and the tests tagged
 * {@code native} run in the guest, in two JVMs, since a start takes tens of seconds there. One has what
 * channels promise, with traffic and load, and a program written to DiSNI's API; the other the kernel's own programs
 * as peers, and the software provider of this JVM; and one each for the loss of a peer's machine and of a device.
 */
@Tag("lab")
@Tag("device")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class KernelDeviceContract {

    private static final long LOAD_MINUTES = 2;
    /** Connections in turn; {@link KernelDeviceSoakTest} has more. */
    private static final int LOAD_CONNECTS = 300;

    private static final String LOST_PEER = KernelContracts.class.getPackageName() + ".LostPeerOverNativeTest";
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private final Device device;
    private DeviceGuest guest;

    KernelDeviceContract(Device device) {
        this.device = device;
    }

    @BeforeAll
    void boot() throws IOException {
        guest = DeviceGuest.boot(device);
    }

    @AfterAll
    void end() throws IOException {
        if (guest != null) {
            guest.close();
        }
    }

    @Test
    @Order(1)
    void channelsKeepTheirPromises() throws Exception {
        guest.assertPassed(
                guest.start(KernelContracts.class.getPackageName(), LOAD_MINUTES, "-Dload.connects=" + LOAD_CONNECTS));
        guest.keepContractResults();
        guest.assertNothingIsLeft();
    }

    @Test
    @Order(2)
    void kernelsProgramsAndTheSoftwareProviderArePeers() throws Exception {
        String tests = KernelDeviceContract.class.getPackageName();
        if (device == Device.SIW) {
            withSoftwarePeer(tests);
        } else {
            assertProgramsPassed(guest.start(tests, LOAD_MINUTES));
        }
        guest.assertNothingIsLeft();
    }

    private void assertProgramsPassed(GuestCommand tests) throws IOException {
        guest.assertPassed(tests);
        DeviceGuest.assertRan(
                tests,
                NfsCallbackOverNativeTest.class,
                NfsClientOverNativeTest.class,
                NfsServerOverNativeTest.class,
                OtherVersionOverNativeTest.class,
                PrivateDataOverNativeTest.class,
                RcopyOverNativeTest.class,
                RpingOverNativeTest.class,
                RstreamOverNativeTest.class);
    }

    /** The other half of {@link SoftwarePeerOverNativeTest}. */
    private void withSoftwarePeer(String packageName) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            RpingServer server = new RpingServer(SoftwarePeerOverNativeTest.BYTES);
            Channel listener = server.listen(group).sync().channel();
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            GuestCommand tests =
                    guest.start(packageName, LOAD_MINUTES, "-D" + SoftwarePeerOverNativeTest.HOST_PORT + '=' + port);
            tests.awaitOutput(SoftwarePeerOverNativeTest.LISTENS, LIMIT);
            RpingClient client = new RpingClient(SoftwarePeerOverNativeTest.BYTES, SoftwarePeerOverNativeTest.ROUNDS);
            int forwarded = guest.guest().forward(SoftwarePeerOverNativeTest.GUEST_PORT);
            tests.asTheOtherEndOf(() -> {
                client.connect(group, new InetSocketAddress(InetAddress.getLoopbackAddress(), forwarded))
                        .sync();
                client.awaitRounds(SoftwarePeerOverNativeTest.ROUNDS, LIMIT);
                server.awaitRounds(SoftwarePeerOverNativeTest.ROUNDS, LIMIT);
            });
            assertProgramsPassed(tests);
            DeviceGuest.assertRan(tests, SoftwarePeerOverNativeTest.class);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    @Order(3)
    void captureOfTheKernelsMountIsGood() throws Exception {
        assumeTrue(device == Device.SIW, "rxe hands packets to itself past every interface");
        Path capture = guest.guest().share().resolve("captures/" + NfsServerOverNativeTest.CAPTURE + ".pcap");
        CaptureReport report = CaptureCheck.of(capture, Payload.RPC_OVER_RDMA).assertGood();
        assertThat(report.replyCount()).isEqualTo(report.callCount());
        assertThat(report.terminateCount()).isZero();
        CreditCheck.of(capture).assertGood();
        ChunkCheck.Report chunks = ChunkCheck.of(capture).assertGood();
        assertThat(chunks.pulledBytes()).isGreaterThan(2_000_000);
        assertThat(chunks.pushedBytes()).isGreaterThan(2_000_000);
        assertThat(chunks.longReplies()).isPositive();
        assertThat(chunks.invalidations()).isPositive();
    }

    /** The peer is in a guest of its own, as no packet between two ends in one can be lost on the way. */
    @Test
    @Order(4)
    void peerWhoseMachineIsGoneIsFoundOut() throws Exception {
        LabGuest peer = LabGuest.boot();
        try {
            GuestCommand tests = guest.startWithPeer(peer, LOST_PEER);
            tests.awaitOutput("connected to the peer", LIMIT);
            peer.close();
            guest.assertPassed(tests);
        } finally {
            peer.close();
        }
        guest.assertNothingIsLeft();
    }

    /** Last, and in a JVM of its own: until that ends, the kernel waits with what is left of the removed device. */
    @Test
    @Order(5)
    void loopsHaveConnectionsOnSeveralDevicesAndLoseOne() throws Exception {
        guest.assertPassed(
                guest.startWithSecondDevice(KernelContracts.class.getPackageName() + ".SeveralDevicesOverNativeTest"));
        guest.guest()
                .run(
                        "lab_await " + Deadline.SECONDS + " 'the removal' eval '! rdma link show | grep -q second0'",
                        Deadline.DURATION.multipliedBy(2))
                .assertSucceeded();
        guest.assertNothingIsLeft();
    }
}
