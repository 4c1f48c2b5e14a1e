// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.cli.Examples;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.logs.Logs;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies files from and to a server with manners. */
class FileCopyTest {

    @TempDir
    Path dir;

    private final MemoryNfsServer server = new MemoryNfsServer();
    private final MemoryMountDaemon daemon = new MemoryMountDaemon("/export");
    private EventLoopGroup rdma;
    private EventLoopGroup nio;
    private Channel listener;
    private int rdmaPort;
    private int mountPort;
    private long copied;
    private long total;

    private final CopyListener progress = new CopyListener() {
        @Override
        public void onStarted(long totalBytes) {
            total = totalBytes;
        }

        @Override
        public void onCopied(long bytes) {
            copied += bytes;
        }
    };

    @BeforeEach
    void start() throws Exception {
        rdma = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        listener = server.start(rdma);
        rdmaPort = port(listener);
        mountPort = port(daemon.start(nio));
    }

    @AfterEach
    void stop() {
        rdma.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        nio.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static int port(Channel channel) {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    private NfsSession open(String name, int transferBytes) throws Exception {
        return open(name, transferBytes, Deadline.DURATION);
    }

    private NfsSession open(String name, int transferBytes, Duration timeout) throws Exception {
        return NfsSession.open(
                NfsLocation.parse("127.0.0.1:/export/" + name, null),
                new NfsSettings(
                        rdmaPort, 1, mountPort, false, new AuthSys(1, 2, "test"), timeout, transferBytes, 4, 1, 1));
    }

    private void download(String name, Path target, int transferBytes) throws Exception {
        try (NfsSession session = open(name, transferBytes)) {
            session.download(target, progress);
        }
    }

    private void upload(Path source, String name, int transferBytes) throws Exception {
        try (NfsSession session = open(name, transferBytes)) {
            session.upload(source, progress);
        }
    }

    private static byte[] octets(int length) {
        byte[] octets = new byte[length];
        new Random(length).nextBytes(octets);
        return octets;
    }

    private Path local(byte[] octets) throws IOException {
        return Files.write(dir.resolve("source"), octets);
    }

    @Test
    void downloadedFileHasTheOctetsOfTheServers() throws Exception {
        for (int length : new int[] {0, 1, 3, 65_536, 1_000_003}) {
            server.add("file", octets(length));
            download("file", dir.resolve("copy"), 65_536);
            assertThat(dir.resolve("copy")).hasBinaryContent(octets(length));
        }
        assertThat(daemon.requests).startsWith("MNT /export", "UMNT /export");
        assertThat(total).isEqualTo(1_000_003);
    }

    @Test
    void smallFileComesInlineAndWithoutAttributes() throws Exception {
        server.add("file", octets(1000)).withAttributes = false;
        download("file", dir.resolve("copy"), 512);
        assertThat(dir.resolve("copy")).hasBinaryContent(octets(1000));
    }

    @Test
    void whatAReadLeftOutIsReadAgain() throws Exception {
        server.add("file", octets(100_000)).octetsPerCall = 7001;
        download("file", dir.resolve("copy"), 16_384);
        assertThat(dir.resolve("copy")).hasBinaryContent(octets(100_000));
        assertThat(copied).isEqualTo(100_000);
    }

    @Test
    void readsAreNotLongerThanTheServerWants() throws Exception {
        server.add("file", octets(100_000)).maxReadBytes = 10_000;
        download("file", dir.resolve("copy"), 65_536);
        assertThat(server.calls).containsEntry(Nfs3Procedure.READ, 10);
    }

    @Test
    void failedDownloadLeavesNothing() throws Exception {
        server.add("file", octets(100_000)).failures.put(Nfs3Procedure.READ, Nfs3Status.IO.code());
        assertThatThrownBy(() -> download("file", dir.resolve("copy"), 16_384))
                .isInstanceOf(Nfs3Exception.class)
                .hasMessage("READ of byte 0: NFS3ERR_IO (input or output error at the server)");
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void uploadedFileIsCommittedUnderItsName() throws Exception {
        for (int length : new int[] {0, 1, 3, 65_536, 1_000_003}) {
            upload(local(octets(length)), "file", 65_536);
            assertThat(server.directory.keySet()).containsExactly("file");
            assertThat(server.file("file").committed).isEqualTo(octets(length));
        }
        assertThat(total).isEqualTo(1_000_003);
        assertThat(server.calls).containsEntry(Nfs3Procedure.COMMIT, 4); // an empty file needs none
    }

    @Test
    void copyHasThePermissionsOfTheOriginal() throws Exception {
        Path source = local(octets(10));
        Files.setAttribute(source, "unix:mode", 0100640);
        upload(source, "file", 65_536);
        assertThat(server.file("file").mode).isEqualTo(0640);
    }

    @Test
    void newCopyHasThePermissionsOfTheOriginalAndAnOldOneItsOwn() throws Exception {
        Path copy = dir.resolve("copy");
        server.add("file", octets(10)).file("file").mode = 06600;
        download("file", copy, 65_536);
        assertThat(Files.getAttribute(copy, "unix:mode")).isEqualTo(0100600);
        Path usual = Files.createFile(dir.resolve("usual")); // with 0666, less the umask
        server.file("file").mode = 0666;
        download("file", dir.resolve("other"), 65_536);
        assertThat(Files.getPosixFilePermissions(dir.resolve("other"))).isEqualTo(Files.getPosixFilePermissions(usual));
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw--w--w-"));
        download("file", copy, 65_536);
        assertThat(Files.getAttribute(copy, "unix:mode")).isEqualTo(0100622);
    }

    @Test
    void copyThatHasNoPlaceSaysWhy() throws Exception {
        server.add("file", octets(10));
        Path missing = dir.resolve("missing");
        assertThatThrownBy(() -> download("file", missing.resolve("copy"), 10))
                .hasMessage("no such folder: " + missing + "; make it first");
        Path file = Files.createFile(dir.resolve("other"));
        assertThatThrownBy(() -> download("file", file.resolve("copy"), 10)).hasMessage(file + " is not a folder");
        assertThatThrownBy(() -> download("file", dir, 10)).hasMessage(dir + " is a directory, not a regular file");
    }

    @Test
    void standardOutputGetsTheOctetsInOrderAndNothingElse() throws Exception {
        server.add("file", octets(1_000_003)).octetsPerCall = 70_001;
        for (String target : new String[] {"-", "/dev/stdout"}) {
            Path output = Files.write(dir.resolve("output"), new byte[] {1, 2, 3});
            Process program = get(target)
                    .redirectOutput(Redirect.appendTo(output.toFile()))
                    .start();
            String printed = new String(program.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(program.waitFor()).as(printed).isZero();
            assertThat(printed).contains("file: 977 KiB (1,000,003 bytes) in ");
            byte[] written = Files.readAllBytes(output);
            assertThat(written).hasSize(1_000_006).startsWith(1, 2, 3);
            assertThat(Arrays.copyOfRange(written, 3, written.length)).isEqualTo(octets(1_000_003));
        }
    }

    @Test
    void readerThatGoesAwayEndsTheCopyWithALine() throws Exception {
        server.add("file", octets(5_000_003));
        Process program = get("-").start();
        assertThat(program.getInputStream().read()).isNotNegative();
        program.getInputStream().close();
        assertThat(program.errorReader().lines()).last().isEqualTo("error: cannot write the copy: Broken pipe");
        assertThat(program.waitFor()).isOne();
    }

    private ProcessBuilder get(String target) {
        return program("nfs-get", "127.0.0.1:/export/file", target);
    }

    private ProcessBuilder program(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Examples.class.getName()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--port=" + rdmaPort, "--mount-port=" + mountPort));
        return new ProcessBuilder(command);
    }

    @Test
    void whatAWriteLeftOutIsWrittenAgain() throws Exception {
        server.octetsPerCall = 7001;
        upload(local(octets(100_000)), "file", 16_384);
        assertThat(server.file("file").committed).isEqualTo(octets(100_000));
        assertThat(copied).isEqualTo(100_000);
    }

    @Test
    void whatAServerForgotIsWrittenAgain() throws Exception {
        server.restartEvery = 9; // 7 WRITEs survive, 9 do not
        upload(local(octets(160_000)), "file", 10_000);
        assertThat(server.file("file").committed).isEqualTo(octets(160_000));
        assertThat(server.calls.get(Nfs3Procedure.WRITE)).isGreaterThan(16);
        assertThat(copied).isEqualTo(160_000);
    }

    @Test
    void serverThatForgetsAlwaysIsGivenUp() {
        server.restartEvery = 1;
        assertThatThrownBy(() -> upload(local(octets(30_000)), "file", 10_000))
                .hasMessage("the server has lost uncommitted data 8 times");
        assertThat(server.directory).isEmpty();
    }

    @Test
    void dataThatAreStableAtOnceNeedNoCommit() throws Exception {
        server.stability = 2;
        upload(local(octets(30_000)), "file", 10_000);
        assertThat(server.calls).doesNotContainKey(Nfs3Procedure.COMMIT);
        assertThat(server.file("file").committed).isEqualTo(octets(30_000));
    }

    @Test
    void handleThatCreateDoesNotTellIsLookedUp() throws Exception {
        server.withHandles = false;
        upload(local(octets(30_000)), "file", 10_000);
        assertThat(server.file("file").committed).isEqualTo(octets(30_000));
    }

    @Test
    void callsThatAreExecutedTwiceDoNoHarm() throws Exception {
        server.repetitions.put(Nfs3Procedure.CREATE, Nfs3Status.EXIST.code());
        server.repetitions.put(Nfs3Procedure.RENAME, Nfs3Status.NOENT.code());
        upload(local(octets(30_000)), "file", 10_000);
        assertThat(server.directory.keySet()).containsExactly("file");
        assertThat(server.file("file").committed).isEqualTo(octets(30_000));
    }

    @Test
    void renameThatIsRefusedIsAnErrorAlsoIfThereIsAFileOfThatName() {
        server.add("file", octets(10));
        server.failures.put(Nfs3Procedure.RENAME, Nfs3Status.NOENT.code());
        assertThatThrownBy(() -> upload(local(octets(30_000)), "file", 10_000))
                .isInstanceOf(Nfs3Exception.class)
                .hasMessageContaining("NFS3ERR_NOENT");
        assertThat(server.directory.keySet()).containsExactly("file");
        assertThat(server.file("file").data).isEqualTo(octets(10));
    }

    @Test
    void failedUploadLeavesNothing() {
        for (Nfs3Procedure procedure :
                EnumSet.of(Nfs3Procedure.CREATE, Nfs3Procedure.WRITE, Nfs3Procedure.COMMIT, Nfs3Procedure.RENAME)) {
            server.failures.put(procedure, Nfs3Status.NOSPC.code());
            assertThatThrownBy(() -> upload(local(octets(30_000)), "file", 10_000))
                    .isInstanceOf(Nfs3Exception.class)
                    .hasMessageContaining("NFS3ERR_NOSPC (no space left on the server's device)");
            assertThat(server.directory).isEmpty();
            server.failures.clear();
        }
    }

    @Test
    void interruptedCopiesLeaveNothing() throws Exception {
        server.add("other", octets(10_000));
        server.silences.put(Nfs3Procedure.READ, Thread.currentThread()::interrupt);
        server.silences.put(Nfs3Procedure.WRITE, Thread.currentThread()::interrupt);
        Path source = local(octets(10_000));
        assertThatThrownBy(() -> upload(source, "file", 10_000)).isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> download("other", dir.resolve("copy"), 10_000))
                .isInstanceOf(InterruptedException.class);
        assertThat(server.directory.keySet()).containsExactly("other");
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files).containsExactly(source);
        }
    }

    @Test
    void copiesThatAreInterruptedWhileTheyUseAFileLeaveNothing() throws Exception {
        server.add("other", octets(100_000));
        Path source = local(octets(100_000));
        CopyListener interrupting = new CopyListener() {
            @Override
            public void onStarted(long totalBytes) {}

            @Override
            public void onCopied(long bytes) {
                Thread.currentThread().interrupt(); // the next to see it is a file's channel
            }
        };
        try (NfsSession session = open("file", 10_000)) {
            assertThatThrownBy(() -> session.upload(source, interrupting)).isInstanceOf(InterruptedException.class);
        }
        try (NfsSession session = open("other", 10_000)) {
            assertThatThrownBy(() -> session.download(dir.resolve("copy"), interrupting))
                    .isInstanceOf(InterruptedException.class);
        }
        assertThat(Thread.interrupted()).as("told by the exception alone").isFalse();
        assertThat(server.directory.keySet()).containsExactly("other");
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files).containsExactly(source);
        }
    }

    @Test
    void serverThatDiesIsCalledByItsNameAndTheReasonGiven() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "cannot connect to");
        server.add("file", octets(30_000));
        server.silences.put(Nfs3Procedure.READ, () -> {
            listener.close();
            server.connections.close();
        });
        try (NfsSession session = open("file", 10_000, Duration.ofSeconds(2))) {
            assertThatThrownBy(() -> session.download(dir.resolve("copy"), CopyListener.NONE))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("READ of byte 0")
                    .hasMessageContaining("127.0.0.1:" + rdmaPort)
                    .hasMessageContaining("efused");
        }
    }

    @Test
    void programThatIsEndedLeavesNothing() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        server.silences.put(Nfs3Procedure.WRITE, writing::countDown);
        Path output = dir.resolve("output");
        Process program = program("nfs-put", local(octets(10_000)).toString(), "127.0.0.1:/export/file")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(writing.await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as(Files.readString(output))
                    .isTrue();
            assertThat(server.directory).hasSize(1);
            program.destroy(); // as Ctrl-C does
            assertThat(program.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(server.directory).as(Files.readString(output)).isEmpty();
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void failedUploadSaysWhatItCannotRemove() {
        server.failures.put(Nfs3Procedure.WRITE, Nfs3Status.ROFS.code());
        server.failures.put(Nfs3Procedure.REMOVE, Nfs3Status.ROFS.code());
        assertThatThrownBy(() -> upload(local(octets(30_000)), "file", 10_000))
                .hasMessageStartingWith("WRITE of byte 0: NFS3ERR_ROFS (read-only file system); .file.")
                .hasMessageEndingWith(".part may be left behind in the server's directory");
    }

    @Test
    void directoriesBelowTheExportAreLookedUp() {
        assertThatThrownBy(() -> open("below/file", 10_000))
                .hasMessage("LOOKUP of below: NFS3ERR_NOENT (no such file or directory)");
        assertThat(daemon.requests).containsExactly("MNT /export/below", "MNT /export", "UMNT /export");
    }
}
