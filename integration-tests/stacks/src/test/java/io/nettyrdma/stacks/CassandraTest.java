// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.simulacron.common.cluster.ClusterSpec;
import com.datastax.oss.simulacron.common.stubbing.PrimeDsl;
import com.datastax.oss.simulacron.server.BoundCluster;
import com.datastax.oss.simulacron.server.Server;
import io.nettyrdma.channel.StreamTransport;
import io.nettyrdma.deadline.Deadline;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Cassandra's driver and Simulacron, a server of its protocol that knows the queries of a test. */
@Tag("dropin")
class CassandraTest {

    private static final String QUERY = "SELECT number, value FROM numbers";
    private static final int ROWS = 5_000;
    private static final String VALUE = "v".repeat(100);
    private static final int QUERIES = 10;

    /** The driver sends all queries at once. */
    @Test
    void manyRowsArriveInOrder() throws Exception {
        PrimeDsl.RowBuilder rows = PrimeDsl.rows().columnTypes("number", "int", "value", "varchar");
        for (int i = 0; i < ROWS; i++) {
            rows.row("number", i, "value", VALUE);
        }
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", PostgresqlServer.freePort());
        try (Server server = Server.builder()
                        .withEventLoopGroup(StreamTransport.UNDER_TEST.group(), StreamTransport.UNDER_TEST.server())
                        .withAddressResolver(() -> address)
                        .build();
                BoundCluster cluster = server.register(ClusterSpec.builder().withNodes(1));
                CqlSession session = CassandraOptions.newSession()
                        .addContactPoint(address)
                        .withLocalDatacenter("dc1")
                        .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                                // The driver would try newer ones, of which Simulacron warns.
                                .withString(DefaultDriverOption.PROTOCOL_VERSION, DefaultProtocolVersion.V4.name())
                                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Deadline.DURATION)
                                .withInt(DefaultDriverOption.REQUEST_PAGE_SIZE, ROWS)
                                .build())
                        .build()) {
            cluster.prime(PrimeDsl.when(QUERY).then(rows));
            List<CompletionStage<AsyncResultSet>> results = new ArrayList<>();
            for (int i = 0; i < QUERIES; i++) {
                results.add(session.executeAsync(QUERY));
            }
            for (CompletionStage<AsyncResultSet> result : results) {
                Iterable<Row> found = result.toCompletableFuture()
                        .get(Deadline.SECONDS, TimeUnit.SECONDS)
                        .currentPage();
                int number = 0;
                for (Row row : found) {
                    assertThat(row.getInt("number")).isEqualTo(number++);
                    assertThat(row.getString("value")).isEqualTo(VALUE);
                }
                assertThat(number).isEqualTo(ROWS);
            }
        }
    }
}
