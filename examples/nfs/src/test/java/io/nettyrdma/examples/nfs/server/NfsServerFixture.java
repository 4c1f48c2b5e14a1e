// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static io.nettyrdma.examples.nfs.server.NfsClient.attributes;
import static io.nettyrdma.examples.nfs.server.NfsClient.ints;
import static io.nettyrdma.examples.nfs.server.NfsClient.longs;
import static io.nettyrdma.examples.nfs.server.NfsClient.opaque;
import static io.nettyrdma.examples.nfs.server.NfsClient.string;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.server.NfsClient.Argument;
import io.nettyrdma.examples.nfs.server.NfsClient.Attributes;
import io.nettyrdma.examples.nfs.server.NfsClient.Reply;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A running server and a client of it; no message is longer than fits inline. */
abstract class NfsServerFixture {

    static final Argument NO_ATTRIBUTES = attributes(null, null);

    @TempDir
    Path directory;

    EventLoopGroup group;
    Path export;
    NfsServer server;
    NfsClient client;
    byte[] root;

    NfsClient connect() throws Exception {
        return NfsClient.rdma(group, server.rdmaAddress());
    }

    @BeforeEach
    void start() throws Exception {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        export = Files.createDirectory(directory.resolve("export"));
        startServer();
    }

    void startServer() throws Exception {
        server = NfsServer.start(
                new NfsServer.Options(export, "127.0.0.1", 0, 0, 4, ConnectionLimit.Settings.DEFAULT),
                RpcRdmaConfig.defaults(),
                new PeerLog(line -> {}));
        client = connect();
        try (NfsClient mount = NfsClient.tcp(server.mountAddress())) {
            root = mount.mount("/");
        }
    }

    void stopServer() throws Exception {
        client.close();
        server.close();
    }

    @AfterEach
    void stop() throws Exception {
        stopServer();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    Reply create(byte[] directory, String name) throws Exception {
        return client.call(Nfs3Procedure.CREATE, opaque(directory), string(name), ints(1), attributes(0640, null));
    }

    byte[] newFile(String name) throws Exception {
        return create(root, name).ok().postOpHandle();
    }

    byte[] newDirectory(byte[] parent, String name) throws Exception {
        return client.call(Nfs3Procedure.MKDIR, opaque(parent), string(name), attributes(0755, null))
                .ok()
                .postOpHandle();
    }

    Reply lookup(byte[] directory, String name) throws Exception {
        return client.call(Nfs3Procedure.LOOKUP, opaque(directory), string(name));
    }

    Attributes getattr(byte[] handle) throws Exception {
        return client.call(Nfs3Procedure.GETATTR, opaque(handle)).ok().attributes();
    }

    Reply write(byte[] file, long offset, byte[] data, int stable) throws Exception {
        return client.call(Nfs3Procedure.WRITE, opaque(file), longs(offset), ints(data.length, stable), opaque(data));
    }

    Reply read(byte[] file, long offset, int count) throws Exception {
        return client.call(Nfs3Procedure.READ, opaque(file), longs(offset), ints(count));
    }

    /** One listing in pieces; the names in their order. */
    List<String> list(boolean plus, Callable<Void> betweenPieces) throws Exception {
        List<String> names = new ArrayList<>();
        long cookie = 0;
        long verifier = 0;
        while (true) {
            Reply reply = plus
                    ? client.call(Nfs3Procedure.READDIRPLUS, opaque(root), longs(cookie, verifier), ints(2000, 3500))
                    : client.call(Nfs3Procedure.READDIR, opaque(root), longs(cookie, verifier), ints(1000));
            assertThat(reply.in.readableBytes()).isLessThanOrEqualTo(plus ? 3500 : 1000);
            assertThat(reply.ok().postOp().type()).isEqualTo(2);
            verifier = reply.in.readLong();
            int count = 0;
            while (reply.in.readInt() == 1) {
                long fileId = reply.in.readLong();
                names.add(reply.string());
                cookie = reply.in.readLong();
                if (plus) {
                    assertThat(reply.postOp().fileId()).isEqualTo(fileId);
                    assertThat(reply.postOpHandle()).hasSize(HandleTable.HANDLE_BYTES);
                }
                count++;
            }
            boolean end = reply.in.readInt() == 1;
            reply.end();
            if (end) {
                return names;
            }
            assertThat(count).isPositive();
            betweenPieces.call();
        }
    }
}
