// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.rpcping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.nfsnull.NfsNullServer;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The RPC server in a JVM of its own, and the client that calls it. */
class RpcpingTest {

    private static final int NFS = 100_003;
    private static final int CALLS = 100;

    @Test
    void clientCountsTheAnswersOfItsServer() throws Exception {
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NfsNullServer.class.getName(),
                        "0")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            int port = Integer.parseInt(lines.readLine().replaceAll(".*:", ""));
            RpcClient client =
                    RpcClient.connect(group, new InetSocketAddress("127.0.0.1", port), RpcRdmaConfig.defaults());
            AtomicInteger answers = new AtomicInteger();
            Pinger.run(
                            client.channel().eventLoop(),
                            () -> client.call(NFS, 3, 0),
                            CALLS,
                            8,
                            nanos -> answers.incrementAndGet())
                    .get(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(answers).hasValue(CALLS);
            assertThat(client.call(NFS, 5, 0).get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(RpcHeaders.PROG_MISMATCH);
            assertThatThrownBy(() -> Pinger.run(
                                    client.channel().eventLoop(), () -> client.call(NFS, 3, 1), 1, 1, nanos -> {})
                            .get(Deadline.SECONDS, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(IOException.class)
                    .hasRootCauseMessage("accept_stat " + RpcHeaders.PROC_UNAVAIL);
            client.channel().close().sync();
        } finally {
            group.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
            server.destroyForcibly();
        }
    }
}
