// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.apache.cassandra.service.CassandraDaemon;

/**
 * Cassandra's server and its driver for Java. The server reads into buffers of its own allocator, and refuses messages
 * in others.
 */
final class CassandraProgram {

    private static final int BIG_BYTES = 4_000_000;
    private static final int ROWS = 10_000;
    private static final int MOST_BYTES = 2_000;
    private static final int AT_ONCE = 64;
    private static final Duration DEADLINE = Duration.ofMinutes(1);

    private CassandraProgram() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("cassandra");
        Path configuration = folder.resolve("cassandra.yaml");
        int port = Results.closedPort();
        int storagePort = Results.closedPort();
        Files.writeString(
                configuration,
                """
                cluster_name: programs
                num_tokens: 1
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                endpoint_snitch: SimpleSnitch
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: "127.0.0.1:%2$d"
                listen_address: 127.0.0.1
                rpc_address: 127.0.0.1
                native_transport_port: %1$d
                storage_port: %2$d
                commitlog_sync: periodic
                commitlog_sync_period: 10s
                """
                        .formatted(port, storagePort));
        System.setProperty("cassandra.config", configuration.toUri().toString());
        System.setProperty("cassandra.storagedir", folder.toString());
        // Else it closes the standard output.
        System.setProperty("cassandra-foreground", "true");
        // There are no other nodes to wait for.
        System.setProperty("cassandra.skip_wait_for_gossip_to_settle", "0");
        System.setProperty("cassandra.ring_delay_ms", "0");
        CassandraDaemon daemon = new CassandraDaemon(true);
        daemon.activate();
        try (CqlSession session = connect(port)) {
            run(session);
        }
        daemon.deactivate();
        try (CqlSession session = connect(port)) {
            Results.print("connected to", session.getName());
        } catch (Exception e) {
            Results.print("refused", e.getClass().getName());
        }
    }

    private static CqlSession connect(int port) {
        return CqlSession.builder()
                .addContactPoint(new InetSocketAddress("127.0.0.1", port))
                .withLocalDatacenter("datacenter1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withInt(DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE, 1)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, DEADLINE)
                        .build())
                .build();
    }

    private static void run(CqlSession session) throws Exception {
        session.execute(
                "CREATE KEYSPACE programs WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE programs.data (id int PRIMARY KEY, bytes blob)");
        PreparedStatement insert = session.prepare("INSERT INTO programs.data (id, bytes) VALUES (?, ?)");
        PreparedStatement select = session.prepare("SELECT bytes FROM programs.data WHERE id = ?");
        session.execute(insert.bind(-1, ByteBuffer.wrap(Results.bytes(BIG_BYTES))));
        Results.print("big", Results.sum(bytes(session.execute(select.bind(-1)).one())));
        Results.print("rows inserted", Results.sumOf(ROWS, AT_ONCE, i -> session.executeAsync(
                        insert.bind(i, ByteBuffer.wrap(Results.bytes(i % MOST_BYTES))))
                .thenApply(result -> 1)));
        Results.print("rows read back", Results.sumOf(ROWS, AT_ONCE, i -> session.executeAsync(select.bind(i))
                .thenApply(result -> Arrays.equals(bytes(result.one()), Results.bytes(i % MOST_BYTES)) ? 1 : 0)));
        Results.print(
                "all rows",
                session.execute("SELECT id FROM programs.data").all().size());
        try {
            session.execute("SELECT * FROM programs.absent");
        } catch (Exception e) {
            Results.printFailure("absent", e);
        }
    }

    private static byte[] bytes(Row row) {
        ByteBuffer buffer = row.getByteBuffer("bytes");
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
