// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** ZooKeeper's server and client, both over Netty. */
final class ZooKeeperProgram {

    private static final int TICK_MILLIS = 2_000;
    private static final int SESSION_MILLIS = 30_000;
    private static final int NODES = 1_000;

    private ZooKeeperProgram() {}

    public static void main(String[] arguments) throws Exception {
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, NettyServerCnxnFactory.class.getName());
        Path folder = Files.createTempDirectory("zookeeper");
        ZooKeeperServer server = new ZooKeeperServer(
                folder.resolve("snapshots").toFile(), folder.resolve("log").toFile(), TICK_MILLIS);
        ServerCnxnFactory factory = ServerCnxnFactory.createFactory(new InetSocketAddress("127.0.0.1", 0), 100);
        factory.startup(server);
        ZooKeeper client = connect(factory.getLocalPort());
        run(client);
        String ephemeral = create(client, "/session", new byte[0], CreateMode.EPHEMERAL);
        ZooKeeper other = connect(factory.getLocalPort());
        CompletableFuture<Watcher.Event.EventType> gone = new CompletableFuture<>();
        other.exists(ephemeral, event -> gone.complete(event.getType()));
        client.close();
        Results.print("after the session closed", Results.await(gone));
        other.close();
        factory.shutdown();
        server.shutdown();
    }

    private static void run(ZooKeeper client) throws Exception {
        create(client, "/node", Results.bytes(500_000), CreateMode.PERSISTENT);
        Results.print("created", Results.sum(client.getData("/node", false, null)));
        CompletableFuture<Watcher.Event.EventType> changed = new CompletableFuture<>();
        client.getData("/node", event -> changed.complete(event.getType()), null);
        Results.print("version", client.setData("/node", Results.bytes(100), 0).getVersion());
        Results.print("watched", Results.await(changed));
        long sum = Results.sumOf(NODES, 64, i -> {
            CompletableFuture<Integer> created = new CompletableFuture<>();
            client.create(
                    "/node/" + i,
                    new byte[i],
                    ZooDefs.Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT,
                    (code, path, context, name, stat) -> created.complete(code == 0 ? stat.getDataLength() : code),
                    null);
            return created;
        });
        Results.print("bytes of nodes", sum);
        Results.print("nodes", client.getChildren("/node", false).size());
        try {
            client.delete("/node", -1);
        } catch (KeeperException e) {
            Results.printFailure("delete", e);
        }
        client.delete("/node/0", -1);
        Results.print("deleted", client.exists("/node/0", false) == null);
    }

    private static String create(ZooKeeper client, String path, byte[] bytes, CreateMode mode) throws Exception {
        return client.create(path, bytes, ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
    }

    private static ZooKeeper connect(int port) throws Exception {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
        CompletableFuture<Watcher.Event.KeeperState> connected = new CompletableFuture<>();
        ZooKeeper client = new ZooKeeper(
                "127.0.0.1:" + port, SESSION_MILLIS, event -> connected.complete(event.getState()), config);
        Results.print("state", Results.await(connected));
        return client;
    }
}
