// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.guard.AcceptLimit;
import io.nettyrdma.examples.guard.LineLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that are nobody's friends, at the one port that anybody may call. */
class MountAbuseTest {

    @TempDir
    Path directory;

    private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private NfsServer server;

    private void start(int workers, Consumer<String> log) throws Exception {
        server = NfsServer.start(options(workers), RpcRdmaConfig.defaults(), log, null);
    }

    private NfsServer.Options options(int workers) throws IOException {
        Path export = Files.createDirectory(directory.resolve("export"));
        return new NfsServer.Options(export, "127.0.0.1", 0, 0, 0, workers, false);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable closeable : toClose) {
            closeable.close();
        }
        server.close();
    }

    private NfsClient mountClient() throws Exception {
        NfsClient client = NfsClient.tcp(server.mountAddress());
        toClose.add(client);
        return client;
    }

    private static ByteBuf mount(NfsClient client, String path) {
        ByteBuf call = client.header(RpcPrograms.MOUNT, 3, MountProcedure.MNT.number());
        string(path).writeTo(call);
        return call;
    }

    private static byte[] octets(ByteBuf call) {
        byte[] octets = new byte[4 + call.readableBytes()];
        call.getBytes(0, octets, 4, octets.length - 4);
        int mark = 0x8000_0000 | octets.length - 4;
        for (int i = 0; i < 4; i++) {
            octets[i] = (byte) (mark >> 24 - 8 * i);
        }
        return octets;
    }

    @Test
    void whatClientsCauseToBePrintedIsEscapedAndLittle() throws Exception {
        start(4, log::add);
        NfsClient client = mountClient();
        String forged = "/no\n127.0.0.1 mounts /etc\r\u001b[2J\u009b1m\u2028\u202e\u0000";
        long begin = System.nanoTime();
        for (int i = 0; i < 50; i++) {
            client.exchange(mount(client, forged));
        }
        for (int i = 0; i < 50; i++) {
            NfsClient.tcp(server.tcpAddress()).close();
            NfsClient one = mountClient();
            one.exchange(mount(one, forged));
            one.close();
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + 1;
        assertThat(log.peek())
                .contains("127.0.0.1 mounts /no\\n127.0.0.1 mounts /etc\\r\\u001b[2J\\u009b1m\\u2028\\u202e\\u0000");
        assertThat(log).allSatisfy(line -> assertThat(line.codePoints())
                .as(line)
                .noneMatch(c -> Character.isISOControl(c)
                        || Character.getType(c) == Character.FORMAT
                        || Character.getType(c) == Character.LINE_SEPARATOR));
        assertThat(log).hasSizeLessThanOrEqualTo((int) (10 * seconds));
    }

    @Test
    void mountLeavesTheWorkersOfNfsAlone() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        startWithMountsThatWait(waiting, end);
        try (NfsClient nfs = NfsClient.tcp(server.tcpAddress())) {
            for (int i = 0; i < 8; i++) {
                Socket socket = connect(InetAddress.getLoopbackAddress());
                socket.getOutputStream().write(octets(mount(nfs, "/")));
            }
            assertThat(waiting.await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("a MOUNT call is executed")
                    .isTrue();
            NfsClient.accepted(nfs.exchange(nfs.header(RpcPrograms.NFS, 3, 0)));
        } finally {
            end.countDown();
        }
    }

    /** Starts a server whose workers execute a MOUNT call, count {@code waiting} down and wait for {@code end}. */
    private void startWithMountsThatWait(CountDownLatch waiting, CountDownLatch end) throws Exception {
        start(2, line -> {
            if (line.contains(" mounts ")) {
                waiting.countDown();
                await(end);
            }
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(Deadline.SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Socket connect(InetAddress from) throws IOException {
        Socket socket = new Socket();
        toClose.add(socket);
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(server.mountAddress(), Deadline.MILLIS);
        socket.setSoTimeout(Deadline.MILLIS);
        return socket;
    }

    @Test
    void exportThroughASymbolicLinkIsMountedByTheNameOfTheUserAndOfTheHost() throws Exception {
        Path real = Files.createDirectories(directory.resolve("real/inner")).getParent();
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        server = NfsServer.start(
                new NfsServer.Options(link, "127.0.0.1", 0, 0, 0, 1, false),
                RpcRdmaConfig.defaults(),
                line -> {},
                null);
        byte[] root = mountClient().mount("/");
        assertThat(mountClient().mount(link.toString())).isEqualTo(root);
        assertThat(mountClient().mount(real.toRealPath().toString())).isEqualTo(root);
        byte[] inner = mountClient().mount("/inner");
        assertThat(mountClient().mount(link + "/inner")).isEqualTo(inner).isNotEqualTo(root);
    }

    @Test
    void callInFlightSurvivesAFloodOfConnections() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        startWithMountsThatWait(waiting, end);
        try (Socket good = connect(InetAddress.getLoopbackAddress())) {
            good.getOutputStream().write(octets(mount(mountClient(), "/")));
            assertThat(waiting.await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("the call is executed")
                    .isTrue();
            List<Socket> flood = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                flood.add(connect(InetAddress.getLoopbackAddress()));
            }
            for (Socket socket : flood.subList(0, 200 - 63)) {
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            end.countDown();
            DataInputStream in = new DataInputStream(good.getInputStream());
            assertThat(in.readNBytes(in.readInt() & 0x7fff_ffff)).isNotEmpty();
        } finally {
            end.countDown();
        }
    }

    @Test
    void idleConnectionsEndWhetherTheyHaveCalledOrNot() throws Exception {
        server = NfsServer.start(
                options(2),
                RpcRdmaConfig.defaults(),
                new PeerLog(log::add, LineLimit.ofSystem()),
                null,
                new AcceptLimit.Settings(64, 3));
        byte[] call = octets(mount(mountClient(), "/"));
        Socket silent = connect(InetAddress.getLoopbackAddress());
        Socket caller = connect(InetAddress.getLoopbackAddress());
        caller.getOutputStream().write(call);
        DataInputStream in = new DataInputStream(caller.getInputStream());

        assertThat(in.readNBytes(in.readInt() & 0x7fff_ffff)).isNotEmpty();
        assertThat(in.read()).as("end of the one that has called").isEqualTo(-1);
        assertThat(silent.getInputStream().read()).as("end of the silent one").isEqualTo(-1);
        assertThat(log).contains(silent.getLocalSocketAddress() + " closed: no call for 3 s");
    }

    @Test
    void parkedConnectionsMakeRoomForNewOnes() throws Exception {
        start(2, line -> {});
        List<Socket> parked = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            parked.add(connect(InetAddress.getLoopbackAddress()));
        }
        NfsClient client = mountClient();
        assertThat(client.mount("/")).hasSize(HandleTable.HANDLE_BYTES);
        // The oldest had to go: 64 may stay, one of them is the good client's.
        for (Socket socket : parked.subList(0, 200 - 63)) {
            assertThat(socket.getInputStream().read())
                    .as("end of a parked connection")
                    .isEqualTo(-1);
        }
    }
}
