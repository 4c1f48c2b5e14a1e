// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.ChannelOption;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.Set;

/**
 * Options of TCP that programs set whatever the channel is. Netty warns of each that a channel does not know, for each
 * connection.
 */
public final class TcpOptions {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(TcpOptions.class);

    /** What has no effect on channels of messages and their listeners. */
    private static final Set<String> IGNORED = Set.of(
            "TCP_NODELAY",
            "SO_KEEPALIVE",
            "SO_REUSEADDR",
            "SO_LINGER",
            "SO_SNDBUF",
            "SO_RCVBUF",
            "SO_BACKLOG",
            "IP_TOS",
            "ALLOW_HALF_CLOSURE",
            "TCP_FASTOPEN",
            "TCP_FASTOPEN_CONNECT",
            "TCP_KEEPIDLE",
            "TCP_KEEPINTVL",
            "TCP_KEEPINTERVAL",
            "TCP_KEEPCNT",
            "TCP_KEEPCOUNT",
            "TCP_USER_TIMEOUT");

    private TcpOptions() {}

    /** Returns what all transports call the option that each declares for itself: the JDK's have no class before it. */
    public static String name(ChannelOption<?> option) {
        String name = option.name();
        return name.substring(name.lastIndexOf('#') + 1);
    }

    /** Whether a channel of messages accepts the option, which then does nothing. */
    public static boolean isIgnored(ChannelOption<?> option) {
        boolean ignored = IGNORED.contains(name(option));
        if (ignored) {
            logger.debug("{} has no effect on a channel that sends messages over RDMA", option);
        }
        return ignored;
    }
}
