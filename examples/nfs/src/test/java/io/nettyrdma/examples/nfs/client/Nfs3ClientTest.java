// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.nfs.protocol.AuthSys;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.FileType;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.verbs.soft.RawServer;
import io.nettyrdma.verbs.soft.RawServer.Fault;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class Nfs3ClientTest {

    private final MemoryNfsServer server = new MemoryNfsServer().add("file", new byte[] {1, 2, 3, 4, 5});
    private EventLoopGroup group;
    private Nfs3Client nfs;
    private Channel listener;
    private FileHandle root;

    @BeforeEach
    void start() throws Exception {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        listener = server.start(group);
        nfs = Nfs3Client.connect(
                group,
                (InetSocketAddress) listener.localAddress(),
                new AuthSys(1, 2, "test"),
                RpcRdmaConfig.defaults());
        root = FileHandle.read(
                Unpooled.buffer().writeInt(5).writeBytes(MemoryNfsServer.ROOT).writeZero(3));
    }

    @AfterEach
    void stop() {
        nfs.close();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void attributesAreWhereTheStandardPutsThem() throws Exception {
        assertThat(nfs.ping().get()).isTrue();
        Nfs3Client.FoundFile file = nfs.lookup(root, "file").get();
        Instant[] times = new Instant[3];
        for (int i = 0; i < 3; i++) {
            times[i] = Instant.ofEpochSecond(i + 1, 0xffffff);
        }
        FileAttributes expected = new FileAttributes(
                FileType.REGULAR, 0644, 1, 1000, 1001, 5, 8192, 0, 0, 1, times[0], times[1], times[2]);
        assertThat(file.attributes()).isEqualTo(expected);
        assertThat(nfs.getAttributes(file.handle()).get()).isEqualTo(expected);
        assertThat(nfs.getAttributes(root).get().type()).isEqualTo(FileType.DIRECTORY);
    }

    @ParameterizedTest
    @EnumSource
    void brokenServerIsNamedInOneSentence(Fault fault) throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", ""); // what it sends, or that it cannot be reached
        RpcRdmaConfig config =
                RpcRdmaConfig.builder().callTimeout(Duration.ofSeconds(2)).build();
        try (RawServer broken = new RawServer(fault)) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", broken.port());
            assertThatThrownBy(() -> Nfs3Client.connect(group, address, new AuthSys(1, 2, "test"), config))
                    .hasMessageStartingWith("NULL: no answer from 127.0.0.1:" + broken.port() + ": ")
                    .message()
                    .doesNotContainPattern("\\w\\.\\w+Exception|\\bio\\.netty|\\bjava\\.|ridx|ByteBuf|null");
        }
    }

    @Test
    void serverThatRefusesACallHasAnswered() {
        RpcRdmaConfig config = RpcRdmaConfig.builder().versions(2, 2).build();
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        assertThatThrownBy(() -> Nfs3Client.connect(group, address, new AuthSys(1, 2, "test"), config))
                .hasMessageStartingWith(
                        "NULL: call to " + address.getHostString() + ":" + address.getPort() + " failed: ")
                .hasMessageContaining("versions 1 to 1");
    }

    /** There is memory for two buffers of four. */
    @Test
    void downloadThatGetsNoMemoryKeepsNone(@TempDir Path directory) throws Exception {
        FileHandle file = nfs.lookup(root, "file").get().handle();
        List<ByteBuf> made = new ArrayList<>();
        IntFunction<ByteBuf> memory = bytes -> {
            if (made.size() == 2) {
                throw new OutOfMemoryError("Cannot reserve so many bytes");
            }
            made.add(Unpooled.directBuffer(bytes, bytes));
            return made.get(made.size() - 1);
        };
        FileDownload download = new FileDownload(nfs, 1024, 4, CopyListener.NONE, memory);
        assertThatThrownBy(() -> download.copy(file, directory.resolve("copy"))).isInstanceOf(OutOfMemoryError.class);
        assertThat(made).hasSize(2).allMatch(buffer -> buffer.refCnt() == 0);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void uploadThatRunsOutOfMemoryLeavesNoFileBehind(@TempDir Path directory) throws Exception {
        Path source = Files.write(directory.resolve("source"), new byte[1024]);
        CopyListener hungry = new CopyListener() {
            @Override
            public void onStarted(long totalBytes) {}

            @Override
            public void onCopied(long bytes) {
                throw new OutOfMemoryError("Cannot reserve so many bytes");
            }
        };
        FileUpload upload = new FileUpload(nfs, 1024, 4, hungry);
        assertThatThrownBy(() -> upload.copy(source, root, "copy", 0600)).isInstanceOf(OutOfMemoryError.class);
        assertThat(server.directory.keySet()).containsExactly("file");
    }

    @Test
    void readTellsTheEndOfTheFile() throws Exception {
        FileHandle file = nfs.lookup(root, "file").get().handle();
        ByteBuf target = Unpooled.directBuffer(200, 200);
        ReadReply reply = nfs.read(file, 2, 2, target).get();
        assertThat(reply.content()).isEqualTo(Unpooled.wrappedBuffer(new byte[] {3, 4}));
        assertThat(reply.isEndOfFile()).isFalse();
        reply.release();
        reply = nfs.read(file, 2, 200, target.clear()).get();
        assertThat(reply.content()).isEqualTo(Unpooled.wrappedBuffer(new byte[] {3, 4, 5}));
        assertThat(reply.isEndOfFile()).isTrue();
        reply.release();
        target.release();
    }

    @Test
    void directoryHasItsEntriesWithAndWithoutAttributes() throws Exception {
        for (int i = 0; i < 100; i++) {
            server.add("file " + i, new byte[i]); // too long for a Send
        }
        for (boolean complete : new boolean[] {true, false}) {
            server.withAttributes = complete;
            server.withHandles = complete;
            DirectoryPage page = nfs.readDirectoryPlus(root, 0, 0, 65_536).get();
            assertThat(page.isLast()).isTrue();
            assertThat(page.cookieVerifier()).isEqualTo(77);
            assertThat(page.entries()).hasSize(101).allSatisfy(entry -> {
                assertThat(entry.attributes() != null).isEqualTo(complete);
                assertThat(entry.handle() != null).isEqualTo(complete);
            });
            assertThat(page.entries().get(1).name()).isEqualTo("file 0");
        }
    }

    @Test
    void nobodyListeningIsAnErrorThatSaysWhere() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "cannot connect to");
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        listener.close().sync();
        RpcRdmaConfig config =
                RpcRdmaConfig.builder().callTimeout(Duration.ofMillis(300)).build();
        assertThatThrownBy(() -> Nfs3Client.connect(group, address, new AuthSys(1, 2, "test"), config))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("efused")
                .hasMessageContaining(String.valueOf(address.getPort()));
    }

    @Test
    void unknownStatusIsItsNumber() {
        server.failures.put(Nfs3Procedure.LOOKUP, 4711);
        assertThatThrownBy(() -> nfs.lookup(root, "file").get())
                .hasRootCauseMessage("LOOKUP of file: status 4711")
                .hasCauseInstanceOf(Nfs3Exception.class);
    }
}
