// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.File;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM that ends in order tells the peers of its byte streams, which would wait for ever if they are in C. */
final class StreamExitTest {

    private static final int SIGTERM = 15;

    private final Inbox server = new Inbox();

    /** The program that ends: connects to the port given, says so, and exits if it is to; else it stays. */
    static final class Exiting {

        private Exiting() {}

        public static void main(String[] arguments) throws Exception {
            new Bootstrap()
                    .group(new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory()))
                    .channel(RdmaSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])))
                    .sync()
                    .channel()
                    .writeAndFlush(ChannelPair.text("bye"))
                    .sync();
            if (Boolean.parseBoolean(arguments[2])) {
                System.exit(0);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void peerSeesTheEndAndNoReset(boolean exits) throws Exception {
        try (StreamPair pair = new StreamPair(TestProvider.SOFT, () -> server, ChannelInboundHandlerAdapter::new)) {
            InetSocketAddress address = pair.listen().address();
            Process program = new ProcessBuilder(
                            new File(System.getProperty("java.home"), "bin/java").getPath(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Exiting.class.getName(),
                            address.getAddress().getHostAddress(),
                            String.valueOf(address.getPort()),
                            String.valueOf(exits))
                    .inheritIO()
                    .start();
            try {
                assertThat(server.nextText()).isEqualTo("bye");
                if (!exits) {
                    program.destroy(); // by SIGTERM, as a service manager does
                }
                assertThat(program.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(program.exitValue()).isEqualTo(exits ? 0 : 128 + SIGTERM);
                server.awaitInactive();
                assertThat(server.failures).isEmpty();
            } finally {
                program.destroyForcibly();
            }
        }
    }
}
