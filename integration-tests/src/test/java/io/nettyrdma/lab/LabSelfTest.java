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
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.lab.Tshark.Payload;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The lab without this project's transport: if this fails, the lab is broken; if only others fail, the project is. */
@Lab
class LabSelfTest {
    private static final int XID = 0x11223344;

    @Test
    void guestHasAnActiveSiwDevice(LabGuest guest) throws Exception {
        GuestResult devices = guest.run("rdma link show && ibv_devices", Duration.ofSeconds(30))
                .assertSucceeded();
        assertThat(devices.output()).contains("siw0/1 state ACTIVE").contains("netdev eth0");
    }

    @Test
    void commandsReportExitStatusOutputAndTimeLimit(LabGuest guest) throws Exception {
        GuestResult failing = guest.run("echo out; echo err >&2; exit 3", Duration.ofSeconds(10));
        assertThat(failing.exitCode()).isEqualTo(3);
        assertThat(failing.output()).isEqualTo("out\nerr\n");
        assertThatThrownBy(failing::assertSucceeded)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exit 3");
        assertThat(guest.run("sleep 60", Duration.ofSeconds(1)).exitCode()).isEqualTo(124);
    }

    @Test
    void commandsRunSideBySideAndCanBeStopped(LabGuest guest) throws Exception {
        try (GuestCommand server = guest.start("echo started; exec sleep 60", Duration.ofSeconds(60))) {
            server.awaitOutput("started", Duration.ofSeconds(10));
            guest.run("true", Duration.ofSeconds(10)).assertSucceeded();
            assertThat(server.stop().exitCode()).isNotZero();
        }
    }

    @Test
    void hostReachesAPortOfTheGuest(LabGuest guest) throws Exception {
        guest.startNfsServer();
        int port = guest.forward(111);
        assertThat(guest.forward(111)).isEqualTo(port);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
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
                tcpdump -i lo -n -U --immediate-mode -Z root -w /run/lab/kernel-rping.pcap tcp port 7174 2> /tmp/tcpdump.log &
                lab_await 20 "tcpdump" grep -q "listening on" /tmp/tcpdump.log || exit 1
                lab_rping_server 7174 20 4000 &
                server=$!
                lab_await_listening 7174 20 || exit 1
                lab_rping_client 10.0.2.15 7174 20 4000 || exit 1
                wait "$server" || exit 1
                kill %1 && wait %1
                """,
                Duration.ofSeconds(60));
        assertThat(rping.assertSucceeded().output()).contains("LAB: ok rping-client", "LAB: ok rping-server");
        Path capture = guest.share().resolve("kernel-rping.pcap");
        CaptureReport report = CaptureCheck.of(capture, Payload.OPAQUE).assertGood();
        assertThat(report.fpduCount()).isGreaterThan(20 * 6);
    }

    @Test
    void kernelMountsItsOwnExportOverRdma(LabGuest guest) throws Exception {
        guest.startNfsServer();
        for (String mount : new String[] {"lab_mount 3 10.0.2.15:/export", "lab_mount 4.1 10.0.2.15:/"}) {
            GuestResult result = guest.run(
                    mount
                            + " /mnt/self && echo hello > /mnt/self/file && cat /export/file && grep ' /mnt/self ' /proc/mounts;"
                            + " rc=$?; umount /mnt/self; exit $rc",
                    Duration.ofSeconds(60));
            assertThat(result.assertSucceeded().output()).contains("hello").contains("proto=rdma");
        }
    }

    @Test
    void hostCapturesWhatPassesItsLoopback(LabGuest guest) throws Exception {
        guest.startNfsServer();
        int port = guest.forward(20049);
        try (Capture capture = Capture.ofPort("mpa-request", port)) {
            // Half an MPA request: enough to see it pass, too little for the kernel to act on.
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream().write("MPA ID Req".getBytes(StandardCharsets.US_ASCII));
            }
            Path file = capture.stop();
            assertThat(new Tshark(file, Payload.OPAQUE).fields("tcp.payload contains \"MPA ID\"", "tcp.dstport"))
                    .singleElement()
                    .asString()
                    .contains(Integer.toString(port));
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
