// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.lab.Tshark.Payload;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lab without this project's transport: if this fails, the lab is broken; if only others fail, the project is. */
@Lab
class LabSelfTest {
    private static final int XID = 0x11223344;
    /**
     * What siw sends for rping: revision 2, enhanced, no CRC, no markers; IRD and ORD 1 in four octets of private data.
     */
    private static final byte[] MPA_REQUEST = ByteBuffer.allocate(24)
            .put("MPA ID Req Frame".getBytes(US_ASCII))
            .putInt(0x10020004)
            .putInt(0x00010001)
            .array();

    @Test
    void guestRunsThePreparedKernelOnBothProcessors(LabGuest guest) throws Exception {
        String version = Files.readString(LabRequirements.preparedDir().resolve("version"));
        GuestResult result = guest.run("uname -r && nproc", Deadline.DURATION);
        assertThat(result.assertSucceeded().output()).isEqualTo(version + "2\n");
    }

    @Test
    void guestHasAnActiveSiwDevice(LabGuest guest) throws Exception {
        GuestResult devices =
                guest.run("rdma link show && ibv_devices", Deadline.DURATION).assertSucceeded();
        assertThat(devices.output()).contains("siw0/1 state ACTIVE").contains("netdev eth0");
    }

    @Test
    void commandsReportExitStatusOutputAndTimeLimit(LabGuest guest) throws Exception {
        GuestResult failing = guest.run("echo out; echo err >&2; exit 3", Deadline.DURATION);
        assertThat(failing.exitCode()).isEqualTo(3);
        assertThat(failing.output()).isEqualTo("out\nerr\n");
        assertThatThrownBy(failing::assertSucceeded)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exit 3");
        assertThat(guest.run("sleep 60", Duration.ofSeconds(1)).exitCode()).isEqualTo(124);
    }

    @Test
    void commandsRunSideBySideAndCanBeStopped(LabGuest guest) throws Exception {
        try (GuestCommand server = guest.start("echo started; exec sleep 60", Deadline.DURATION)) {
            server.awaitOutput("started", Deadline.DURATION);
            guest.run("true", Deadline.DURATION).assertSucceeded();
            assertThat(server.stop().exitCode()).isNotZero();
        }
    }

    @Test
    void hostReachesAPortOfTheGuest(LabGuest guest) throws Exception {
        guest.startNfsServer();
        int port = guest.forward(111);
        assertThat(guest.forward(111)).isEqualTo(port);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(Deadline.MILLIS);
            // A NULL call to rpcbind, as one record of 40 octets; its reply begins with a record mark and the same xid.
            ByteBuffer call =
                    ByteBuffer.allocate(44).putInt(0x80000028).putInt(XID).putInt(0);
            socket.getOutputStream()
                    .write(call.putInt(2).putInt(100000).putInt(2).array());
            assertThat(new DataInputStream(socket.getInputStream()).readLong()).isEqualTo(0x8000001800000000L | XID);
        }
    }

    @Test
    void kernelRpingPassesAndItsCaptureIsGood(LabGuest guest) throws Exception {
        GuestResult rping = guest.run(
                """
                tcpdump -i lo -n -U -B 65536 -Z root -w /run/lab/kernel-rping.pcap tcp port 7174 2> /tmp/tcpdump.log &
                lab_await 20 "tcpdump" grep -q "listening on" /tmp/tcpdump.log || exit 1
                lab_rping_server 7174 20 4000 &
                server=$!
                lab_await_listening 7174 20 || exit 1
                lab_rping_client 10.0.2.15 7174 20 4000 || exit 1
                wait "$server" || exit 1
                # tcpdump forgets what it has not read when it ends; the end of the connection is the last it needs.
                ended="tcpdump -n -r /run/lab/kernel-rping.pcap | grep -q 'Flags .F'"
                lab_await 20 "FIN in the capture" eval "$ended" || exit 1
                kill %1 && wait %1
                grep -q "^0 packets dropped by kernel" /tmp/tcpdump.log || exit 1
                """,
                Deadline.DURATION);
        assertThat(rping.assertSucceeded().output()).contains("LAB: ok rping-client", "LAB: ok rping-server");
        Path capture = guest.share().resolve("kernel-rping.pcap");
        CaptureReport report = CaptureCheck.of(capture, Payload.OPAQUE).assertGood();
        assertThat(report.fpduCount()).isGreaterThanOrEqualTo(20 * 7);
    }

    @Test
    void kernelMountsItsOwnExportOverRdma(LabGuest guest) throws Exception {
        guest.startNfsServer();
        for (String mount : new String[] {"lab_mount 3 10.0.2.15:/export", "lab_mount 4.1 10.0.2.15:/"}) {
            GuestResult result = guest.run(
                    mount
                            + " /mnt/self && echo hello > /mnt/self/file && cat /export/file"
                            + " && grep ' /mnt/self ' /proc/mounts;"
                            + " rc=$?; umount /mnt/self; exit $rc",
                    Deadline.DURATION);
            assertThat(result.assertSucceeded().output()).contains("hello").contains("proto=rdma");
        }
    }

    @Test
    void kernelAnswersAnMpaRequestFromTheHost(LabGuest guest) throws Exception {
        try (GuestCommand server = guest.start("rping -s -a 10.0.2.15 -p 7175 -C 1", Deadline.DURATION)) {
            guest.awaitListening(7175, Deadline.DURATION);
            int port = guest.forward(7175);
            try (Capture capture = Capture.ofPort("mpa-from-host", port)) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    socket.setSoTimeout(Deadline.MILLIS);
                    socket.getOutputStream().write(MPA_REQUEST);
                    assertThat(socket.getInputStream().readNBytes(20))
                            .startsWith("MPA ID Rep Frame".getBytes(US_ASCII));
                }
                assertThat(new Tshark(capture.stop(), Payload.OPAQUE).fields("iwarp_mpa.rep", "tcp.srcport"))
                        .containsExactly(List.of(List.of(Integer.toString(port))));
            }
            server.await();
        }
    }

    @Test
    void kernelSendsAnMpaRequestToTheHost(LabGuest guest) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout(Deadline.MILLIS);
            String rping = "rping -c -a 10.0.2.2 -C 1 -p " + listener.getLocalPort();
            try (GuestCommand client = guest.start(rping, Deadline.DURATION)) {
                try (Socket socket = listener.accept()) {
                    socket.setSoTimeout(Deadline.MILLIS);
                    assertThat(socket.getInputStream().readNBytes(MPA_REQUEST.length))
                            .isEqualTo(MPA_REQUEST);
                }
                client.await();
            }
        }
    }

    @Test
    void aMissingMarkerFailsWithTheConsole(LabGuest guest) {
        assertThatThrownBy(() -> guest.awaitMarker("LAB: no such marker", Duration.ofMillis(200)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("LAB: no such marker")
                .hasMessageContaining("LAB: ready");
    }
}
