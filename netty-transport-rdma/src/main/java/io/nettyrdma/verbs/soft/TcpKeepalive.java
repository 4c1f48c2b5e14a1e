// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * Has the kernel ask a silent peer whether it is still there (RFC 9293, section 3.8.4), so that a connection ends whose
 * peer vanished while nothing was to be sent: after {@value #IDLE_SECONDS} s of silence and {@value #PROBES} questions,
 * two minutes in all. Where the operating system does not let a program choose, its own times hold, commonly two hours.
 *
 * <p>Threading: any thread.
 */
final class TcpKeepalive {

    /** Seconds of silence before the first question. */
    static final int IDLE_SECONDS = 60;

    /** Seconds between questions. */
    static final int INTERVAL_SECONDS = 10;

    /** Questions without an answer after which the connection ends. */
    static final int PROBES = 6;

    private TcpKeepalive() {}

    /** Begins with the connection, which may be to be made yet. */
    static void enable(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        // By name, as the module jdk.net, whose ExtendedSocketOptions these are, may be missing in a runtime image.
        for (SocketOption<?> option : channel.supportedOptions()) {
            switch (option.name()) {
                case "TCP_KEEPIDLE" -> set(channel, option, IDLE_SECONDS);
                case "TCP_KEEPINTERVAL" -> set(channel, option, INTERVAL_SECONDS);
                case "TCP_KEEPCOUNT" -> set(channel, option, PROBES);
                default -> {}
            }
        }
    }

    private static <T> void set(SocketChannel channel, SocketOption<T> option, Integer value) throws IOException {
        channel.setOption(option, option.type().cast(value));
    }
}
