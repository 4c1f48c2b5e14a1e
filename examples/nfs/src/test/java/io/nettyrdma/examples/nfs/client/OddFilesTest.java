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
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of and onto what is no ordinary file, and servers that are busy. */
class OddFilesTest {

    private static final byte[] OLD = {1, 2, 3};
    private static final byte[] NEW = {4, 5, 6, 7};

    @TempDir
    Path dir;

    private final MemoryNfsServer server = new MemoryNfsServer();
    private final MemoryMountDaemon daemon = new MemoryMountDaemon("/export");
    private EventLoopGroup rdma;
    private EventLoopGroup nio;
    private int rdmaPort;
    private int mountPort;

    @BeforeEach
    void start() throws Exception {
        rdma = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        rdmaPort = port(server.start(rdma));
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

    private NfsSession open(String name, Duration timeout) throws Exception {
        return NfsSession.open(
                NfsLocation.parse("127.0.0.1:/export/" + name, null),
                new NfsSettings(rdmaPort, 1, mountPort, false, new AuthSys(1, 2, "test"), timeout, 2, 4, 1, 1));
    }

    private void download(String name, Path target) throws Exception {
        try (NfsSession session = open(name, Deadline.DURATION)) {
            session.download(target, CopyListener.NONE);
        }
    }

    private void upload(String name, Duration timeout) throws Exception {
        try (NfsSession session = open(name, timeout)) {
            session.upload(Files.write(dir.resolve("source"), NEW), CopyListener.NONE);
        }
    }

    private void assertNoMoreFiles(Path... expected) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files).containsExactlyInAnyOrder(expected);
        }
    }

    @Test
    void fileOfALengthThatNoFileHasIsAnErrorAndNotAnEmptyFile() throws Exception {
        server.add("file", NEW).file("file").sizeTold = Long.MIN_VALUE;
        assertThatThrownBy(() -> download("file", dir.resolve("copy")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("9223372036854775808 bytes");
        server.file("file").sizeTold = -1L;
        assertThatThrownBy(() -> download("file", dir.resolve("copy")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("18446744073709551615 bytes");
        assertNoMoreFiles();
    }

    @Test
    void whatIsNoRegularFileIsNotReplacedByACopy() throws Exception {
        server.add("file", NEW);
        Path pipe = dir.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readAllBytes(pipe);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        download("file", pipe);
        assertThat(read.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(NEW);
        Path link = Files.createSymbolicLink(dir.resolve("dangling"), dir.resolve("nothing"));
        for (Path target : new Path[] {dir, link}) {
            assertThatThrownBy(() -> download("file", target))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(target.toString())
                    .hasMessageContaining("not a regular file");
        }
        assertThat(Files.readAttributes(pipe, "isOther", LinkOption.NOFOLLOW_LINKS))
                .containsEntry("isOther", true);
        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertNoMoreFiles(pipe, link);
    }

    @Test
    void copyOntoASymbolicLinkReplacesTheFileThatItLeadsTo() throws Exception {
        server.add("file", NEW);
        Path real = Files.write(Files.createDirectory(dir.resolve("below")).resolve("real"), OLD);
        Path link = Files.createSymbolicLink(dir.resolve("link"), Path.of("below/real"));
        download("file", link);
        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertThat(real).hasBinaryContent(NEW);
        assertNoMoreFiles(link, real.getParent());
    }

    @Test
    void whatIsNoRegularFileAtTheServerIsNotReplacedByACopy() {
        for (FileType type : new FileType[] {FileType.SYMBOLIC_LINK, FileType.NAMED_PIPE, FileType.CHARACTER_DEVICE}) {
            for (boolean withAttributes : new boolean[] {true, false}) {
                server.withAttributes = withAttributes;
                server.add("odd", OLD).file("odd").type = type;
                assertThatThrownBy(() -> upload("odd", Deadline.DURATION))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("odd")
                        .hasMessageContaining("not a regular file");
                assertThat(server.directory.keySet()).containsExactly("odd");
                assertThat(server.file("odd").data).isEqualTo(OLD);
            }
        }
    }

    @Test
    void busyServerIsAskedAgain() throws Exception {
        for (Nfs3Procedure procedure : Nfs3Procedure.values()) {
            server.jukeboxes.put(procedure, 2);
        }
        server.jukeboxes.remove(Nfs3Procedure.NULL);
        upload("file", Deadline.DURATION);
        assertThat(server.directory.keySet()).containsExactly("file");
        assertThat(server.file("file").committed).isEqualTo(NEW);
        server.jukeboxes.replaceAll((procedure, count) -> 1);
        download("file", dir.resolve("copy"));
        assertThat(dir.resolve("copy")).hasBinaryContent(NEW);
        assertThat(server.jukeboxes).containsEntry(Nfs3Procedure.READ, 0);
    }

    @Test
    void serverThatIsBusyForGoodIsGivenUp() {
        server.jukeboxes.put(Nfs3Procedure.CREATE, Integer.MAX_VALUE);
        assertThatThrownBy(() -> upload("file", Duration.ofSeconds(1)))
                .isInstanceOf(Nfs3Exception.class)
                .hasMessageContaining("NFS3ERR_JUKEBOX");
        assertThat(server.calls.get(Nfs3Procedure.CREATE)).isBetween(2, 5);
        assertThat(server.directory).isEmpty();
    }
}
