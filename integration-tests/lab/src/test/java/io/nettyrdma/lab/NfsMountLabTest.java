// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.cli.GuardedNfsNull;
import io.nettyrdma.lab.Tshark.Payload;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.observe.RpcRdmaSummary.Procedure;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The kernel's NFS client as a requester. The example server knows NULL only, so the mount has to fail, but not before
 * the kernel has taken the answer to NULL for good and asked for FSINFO. It asks twice on the same connection: after a
 * failure it tries again with the RPC client of the mount instead of that of the server.
 */
@Lab
class NfsMountLabTest {
    private static final String CALL = "0";
    private static final String REPLY = "1";
    private static final String NULL = "0";
    private static final String FSINFO = "19";
    private static final String SUCCESS = "0";
    private static final String PROC_UNAVAIL = "3";

    /** Magic, version 1, remote invalidation is fine, 4,096 octets in both directions (RFC 8797, section 4). */
    private static final String PRIVATE_DATA = "f6ab0e1801010303";

    private final List<String> connections = new CopyOnWriteArrayList<>();
    private final MessageRecord messages = new MessageRecord();
    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    @Requirement({"V1-009", "V1-058"})
    void kernelTakesNullForAnsweredAndGoesOnToFsinfo(LabGuest guest) throws Exception {
        guest.startNfsServer(); // for its rpc.mountd: MOUNT does not run over RDMA
        Channel listener = GuardedNfsNull.start(
                        group,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        RpcRdmaConfig.builder().listener(messages).build(),
                        connections::add)
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        Path file;
        try (Capture capture = Capture.ofPort("nfs-mount", port)) {
            GuestResult mount = guest.run(
                    "mkdir -p /mnt/null && mount -t nfs -o vers=3,proto=rdma,port=" + port
                            + ",nolock,retry=0,mountproto=tcp,mounthost=" + LabGuest.GUEST_ADDRESS + ",mountport=20048 "
                            + LabGuest.HOST_ADDRESS + ":/export /mnt/null",
                    Deadline.DURATION);
            assertThat(mount.exitCode()).as(mount.toString()).isEqualTo(32); // mount failed, and by itself
            Await.until(
                    "the end of the kernel's connection",
                    Deadline.DURATION,
                    () -> connections.stream().anyMatch(line -> line.endsWith("closed")),
                    connections::toString);
            file = capture.stop();
        }
        assertThat(connections.get(0)).endsWith("private data " + PRIVATE_DATA);
        assertThat(messages.rejected).isEmpty();
        assertThat(messages.received).hasSizeGreaterThanOrEqualTo(2).allSatisfy(call -> {
            assertThat(call.procedure()).isEqualTo(Procedure.RDMA_MSG);
            assertThat(call.credits()).isEqualTo(128);
            assertThat(call.headerBytes()).isEqualTo(28); // no chunks
        });
        assertThat(messages.sent).hasSameSizeAs(messages.received);

        CaptureReport report = CaptureCheck.of(file, Payload.RPC_OVER_RDMA).assertGood();
        assertThat(report.callCount()).isEqualTo(messages.received.size());
        assertThat(report.replyCount()).isEqualTo(messages.sent.size());
        assertThat(report.terminateCount()).isZero();
        assertThat(report.crcCount()).isZero(); // siw does not ask for it
        CreditCheck.of(file).assertGood();
        assertThat(rpc(file))
                .startsWith(
                        List.of(CALL, NULL, ""),
                        List.of(REPLY, NULL, SUCCESS),
                        List.of(CALL, FSINFO, ""),
                        List.of(REPLY, FSINFO, PROC_UNAVAIL));
        // Four octets of MPA revision 2 (IRD 128, ORD 0) stand before what the kernel's NFS client says.
        assertThat(new Tshark(file, Payload.RPC_OVER_RDMA).fields("iwarp_mpa.req", "iwarp_mpa.privatedata"))
                .first()
                .isEqualTo(List.of(List.of("00800000" + PRIVATE_DATA)));
    }

    /** Direction, procedure and, of replies, the status of each message. */
    private static List<List<String>> rpc(Path capture) throws Exception {
        return new Tshark(capture, Payload.RPC_OVER_RDMA)
                .without("nfs").fields("rpc", "rpc.msgtyp", "rpc.procedure", "rpc.state_accept").stream()
                        .map(row -> row.stream()
                                .map(values -> String.join(",", values))
                                .toList())
                        .toList();
    }
}
