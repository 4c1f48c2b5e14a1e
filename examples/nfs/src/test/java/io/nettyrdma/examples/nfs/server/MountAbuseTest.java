// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
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

    private void start(Path export) throws Exception {
        server = NfsServer.start(
                new NfsServer.Options(export, "127.0.0.1", 0, 0, 1, ConnectionLimit.Settings.DEFAULT),
                RpcRdmaConfig.defaults(),
                new PeerLog(log::add));
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
        start(directory);
        NfsClient client = mountClient();
        String forged = "/no\n127.0.0.1 mounts /etc\r\u001b[2J\u009b1m\u2028\u202e\u0000";
        long begin = System.nanoTime();
        for (int i = 0; i < 50; i++) {
            client.exchange(mount(client, forged));
        }
        for (int i = 0; i < 50; i++) {
            NfsClient one = mountClient();
            one.exchange(mount(one, forged));
            one.close();
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + 1;
        assertThat(log.peek())
                .contains("127.0.0.1 mounts /no\\u000a127.0.0.1 mounts"
                        + " /etc\\u000d\\u001b[2J\\u009b1m\\u2028\\u202e\\u0000");
        assertThat(log).allSatisfy(line -> assertThat(line.codePoints())
                .as(line)
                .noneMatch(c -> Character.isISOControl(c)
                        || Character.getType(c) == Character.FORMAT
                        || Character.getType(c) == Character.LINE_SEPARATOR));
        assertThat(log).hasSizeLessThanOrEqualTo((int) (10 * seconds));
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
        start(link);
        byte[] root = mountClient().mount("/");
        assertThat(mountClient().mount(link.toString())).isEqualTo(root);
        assertThat(mountClient().mount(real.toRealPath().toString())).isEqualTo(root);
        ByteBuf inner = NfsClient.accepted(mountClient().exchange(mount(mountClient(), "/inner")));
        assertThat(inner.readInt()).as("status").isEqualTo(Nfs3Status.NOENT.code());
    }

    @Test
    void connectionWhoseClientTakesNoReplyEnds() throws Exception {
        start(directory);
        byte[] call = octets(mount(mountClient(), "/"));
        Socket flood = connect(InetAddress.getLoopbackAddress());
        assertThatThrownBy(() -> {
                    while (true) {
                        flood.getOutputStream().write(call);
                    }
                })
                .isInstanceOf(IOException.class);
        assertThat(mountClient().mount("/")).hasSize(HandleTable.HANDLE_BYTES);
    }
}
