// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfs.client.CopyListener;
import io.nettyrdma.examples.nfs.client.DirectoryPage;
import io.nettyrdma.examples.nfs.client.FileUpload;
import io.nettyrdma.examples.nfs.client.MountClient;
import io.nettyrdma.examples.nfs.client.Nfs3Client;
import io.nettyrdma.examples.nfs.client.ReadReply;
import io.nettyrdma.examples.nfs.client.WriteReply;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.Stability;
import io.nettyrdma.lab.Tshark.Payload;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.observe.RpcRdmaSummary.Procedure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kernel's NFS server as a responder, and this project as a requester that offers it chunks of every kind. What was
 * written is compared in the guest's file system, what is read comes from there.
 */
@Lab
class NfsClientLabTest {
    private static final int MIB = 1 << 20;
    private static final int NFS_RDMA_PORT = 20049;
    private static final int MOUNT_PORT = 20048;
    private static final String DIRECTORY = "/export/client";
    private static final AuthSys ROOT = new AuthSys(0, 0, "lab");

    @TempDir
    Path dir;

    private final MessageRecord messages = new MessageRecord();
    private EventLoopGroup group;
    private InetSocketAddress server;
    private int mountPort;
    private FileHandle directory;

    @BeforeEach
    void start(LabGuest guest) throws Exception {
        guest.startNfsServer();
        guest.run("mkdir " + DIRECTORY, Deadline.DURATION).assertSucceeded();
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), guest.forward(NFS_RDMA_PORT));
        mountPort = guest.forward(MOUNT_PORT);
        try (MountClient mounts = new MountClient(ROOT, Deadline.DURATION, false)) {
            directory = mounts.mount(new InetSocketAddress(InetAddress.getLoopbackAddress(), mountPort), DIRECTORY);
        }
    }

    @AfterEach
    void stop(LabGuest guest) throws Exception {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        guest.run("rm -rf " + DIRECTORY, Deadline.DURATION).assertSucceeded();
    }

    private RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder().callTimeout(Deadline.DURATION).listener(messages);
    }

    private Nfs3Client connect(RpcRdmaConfig config) throws Exception {
        return Nfs3Client.connect(group, server, ROOT, config);
    }

    /** The result of a call, which has a timeout of its own. */
    private static <T> T result(Future<T> call) throws Exception {
        return call.get(Deadline.SECONDS + 10, TimeUnit.SECONDS);
    }

    private static byte[] octets(int length) {
        byte[] octets = new byte[length];
        new Random(length).nextBytes(octets);
        return octets;
    }

    private static ByteBuf direct(byte[] octets) {
        return Unpooled.directBuffer(octets.length).writeBytes(octets);
    }

    private static String sha256(byte[] octets) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(octets));
    }

    /** The first word that commands in the test's directory print. */
    private static String inGuest(LabGuest guest, String commands) throws Exception {
        String output = guest.run("cd " + DIRECTORY + " && " + commands, Deadline.DURATION)
                .assertSucceeded()
                .output();
        return output.split("\\s", 2)[0];
    }

    /** Writes that many octets to a new file and compares them in the guest. */
    private void assertWritten(LabGuest guest, Nfs3Client nfs, int length) throws Exception {
        String name = "written" + length;
        FileHandle file = result(nfs.create(directory, name, 0600)).handle();
        WriteReply reply = result(nfs.write(file, 0, direct(octets(length)), Stability.FILE_SYNC));
        assertThat(reply.countBytes()).isEqualTo(length);
        assertThat(reply.committed()).isEqualTo(Stability.FILE_SYNC);
        assertThat(inGuest(guest, "sha256sum " + name)).isEqualTo(sha256(octets(length)));
    }

    /** Reads that many octets of a file made in the guest. */
    private void assertRead(LabGuest guest, Nfs3Client nfs, int length) throws Exception {
        String name = "read" + length;
        String expected = inGuest(guest, "head -c " + length + " /dev/urandom > " + name + " && sha256sum " + name);
        FileHandle file = result(nfs.lookup(directory, name)).handle();
        ByteBuf target = Unpooled.directBuffer(length, length);
        try {
            ReadReply reply = result(nfs.read(file, 0, length, target));
            byte[] data = ByteBufUtil.getBytes(reply.content());
            reply.release();
            assertThat(data).hasSize(length);
            assertThat(sha256(data)).isEqualTo(expected);
        } finally {
            target.release();
        }
    }

    @Test
    @Requirement({"V1-038", "V1-046", "V1-049", "V1-054", "V1-063", "V1-064"})
    void kernelTakesChunksOfEveryKind(LabGuest guest) throws Exception {
        Path file;
        try (Capture capture = Capture.ofPort("nfs-client", server.getPort());
                Nfs3Client nfs = connect(config().build());
                Nfs3Client longCalls =
                        connect(TestLimits.readChunksPerCall(config(), 0).build())) {
            assertThat(result(nfs.ping())).isTrue();
            assertThat(messages.lastSent().headerBytes()).isEqualTo(28);
            assertThat(result(nfs.getAttributes(directory)).fileId())
                    .isEqualTo(Long.parseLong(inGuest(guest, "stat -c %i .")));

            for (int length : new int[] {MIB, MIB - 3}) {
                assertRead(guest, nfs, length);
                assertThat(messages.lastSent().writeChunks()).isEqualTo(1);
                assertThat(messages.lastReceived().procedure()).isEqualTo(Procedure.RDMA_MSG);

                assertWritten(guest, nfs, length);
                assertThat(messages.lastSent().procedure()).isEqualTo(Procedure.RDMA_MSG);
                assertThat(messages.lastSent().readSegments()).isEqualTo(1);
            }

            assertWritten(guest, longCalls, 65_537);
            assertThat(messages.lastSent().procedure()).isEqualTo(Procedure.RDMA_NOMSG);
            assertThat(messages.lastSent().readSegments()).isEqualTo(1);

            inGuest(guest, "mkdir many && cd many && touch entry{1..200}");
            FileHandle many = result(nfs.lookup(directory, "many")).handle();
            DirectoryPage page = result(nfs.readDirectoryPlus(many, 0, 0, 65_536));
            assertThat(messages.lastSent().replyChunks()).isEqualTo(1);
            assertThat(messages.lastReceived().procedure()).isEqualTo(Procedure.RDMA_NOMSG);
            assertThat(page.isLast()).isTrue();
            assertThat(page.entries()).hasSize(202).anySatisfy(entry -> assertThat(entry.name())
                    .isEqualTo("entry200"));
            file = capture.stop();
        }
        assertThat(messages.rejected).isEmpty();
        CaptureReport report = CaptureCheck.of(file, Payload.RPC_OVER_RDMA).assertGood();
        assertThat(report.terminateCount()).isZero();
        assertThat(report.crcCount()).isEqualTo(report.fpduCount());
        CreditCheck.of(file).assertGood();
        ChunkCheck.Report chunks = ChunkCheck.of(file).assertGood();
        assertThat(chunks.readCalls()).isEqualTo(3);
        assertThat(chunks.longCalls()).isEqualTo(1);
        assertThat(chunks.writeCalls()).isEqualTo(2);
        assertThat(chunks.longReplies()).isEqualTo(1);
        assertThat(chunks.pushedBytes()).isGreaterThan(2 * MIB - 3);
    }

    /** It says nothing about sizes, so that it has to assume that the kernel takes 1024 octets and no more. */
    @Test
    @Requirement({"V1-027", "V1-061"})
    void kernelServesARequesterThatKnowsOf1024Octets(LabGuest guest) throws Exception {
        try (Nfs3Client nfs = connect(config().withoutPrivateData().build())) {
            assertRead(guest, nfs, 1500);
            assertWritten(guest, nfs, 1501);
            assertThat(messages.lastSent().readSegments()).isEqualTo(1);

            String path = "x/".repeat(490);
            FileHandle link = result(nfs.symlink(directory, "link", path)).handle();
            assertThat(messages.lastSent().readSegments()).isEqualTo(1);
            assertThat(inGuest(guest, "readlink link")).isEqualTo(path);
            assertThat(result(nfs.readLink(link))).isEqualTo(path);
            assertThat(messages.lastSent().replyChunks() + messages.lastSent().writeChunks())
                    .isPositive();
        }
        assertThat(messages.rejected).isEmpty();
        assertThat(messages.sent).allSatisfy(sent -> assertThat(sent.headerBytes() + sent.payloadBytes())
                .isLessThanOrEqualTo(1024));
        assertThat(messages.received)
                .allSatisfy(received -> assertThat(received.headerBytes() + received.payloadBytes())
                        .isLessThanOrEqualTo(1024));
    }

    @Test
    @Requirement("V1-122")
    void callsOutliveARestartOfTheServer(LabGuest guest) throws Exception {
        byte[] octets = octets(8 * MIB);
        Path source = Files.write(dir.resolve("source"), octets);
        AtomicBoolean restarted = new AtomicBoolean();
        CopyListener restart = new CopyListener() {
            private long copied;

            @Override
            public void onStarted(long totalBytes) {}

            /** Comes from the thread that copies: the other calls are pending while the server is away. */
            @Override
            public void onCopied(long bytes) {
                copied += bytes;
                if (copied >= 2 * MIB && restarted.compareAndSet(false, true)) {
                    try {
                        guest.run("lab_nfsd_restart", Deadline.DURATION).assertSucceeded();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
        };
        try (Nfs3Client nfs = connect(config().build())) {
            FileHandle file = result(nfs.create(directory, "before", 0600)).handle();
            long verifier = result(nfs.write(file, 0, direct(octets(1)), Stability.UNSTABLE))
                    .verifier();

            new FileUpload(nfs, MIB / 4, 8, restart).copy(source, directory, "copy", 0600);

            assertThat(restarted).isTrue();
            assertThat(messages.channels).hasSize(2);
            assertThat(result(nfs.commit(file))).isNotEqualTo(verifier);
        }
        assertThat(inGuest(guest, "sha256sum copy")).isEqualTo(sha256(octets));
        assertThat(inGuest(guest, "ls -A | wc -l")).isEqualTo("2");
    }

    @Test
    void portmapperTellsWhereTheMountDaemonIs(LabGuest guest) throws Exception {
        try (MountClient mounts = new MountClient(ROOT, Deadline.DURATION, false)) {
            assertThat(mounts.mountPort(new InetSocketAddress(InetAddress.getLoopbackAddress(), guest.forward(111))))
                    .isEqualTo(MOUNT_PORT);
        }
    }

    @Test
    void examplesCopyAFileThereAndBack(LabGuest guest) throws Exception {
        byte[] octets = octets(8 * MIB + 13);
        Path source = Files.write(dir.resolve("source"), octets);
        String remote = "127.0.0.1:" + DIRECTORY + "/copy";
        String[] options = {"--port=" + server.getPort(), "--mount-port=" + mountPort, "--uid=0", "--gid=0"};

        String put = example("nfs-put", source.toString(), remote, options);
        assertThat(put).contains("copy: 8.00 MiB (8,388,621 bytes) in ").doesNotContain("LEAK", " WARN ", " ERROR ");
        assertThat(inGuest(guest, "sha256sum copy")).isEqualTo(sha256(octets));
        assertThat(inGuest(guest, "ls -A | wc -l")).isEqualTo("1");

        Path copy = dir.resolve("copy");
        String get = example("nfs-get", remote, copy.toString(), options);
        assertThat(get).contains("copy: 8.00 MiB (8,388,621 bytes) in ").doesNotContain("LEAK", " WARN ", " ERROR ");
        assertThat(copy).hasSameBinaryContentAs(source);
    }

    private String example(String name, String from, String to, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(name, from, to));
        arguments.addAll(List.of(options));
        return ExampleProgram.run(dir, arguments.toArray(String[]::new));
    }
}
