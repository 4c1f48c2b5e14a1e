// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.util.HashMap;
import java.util.Map;

/**
 * Options for the socket of an id, kept until the socket exists.
 *
 * <p>Threading: confined to the thread of the event channel.
 */
final class SocketOptions {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(SocketOptions.class);

    private final Map<SocketOption<?>, Object> kept = new HashMap<>();

    /** Keeps an option; its last value counts. */
    <T> void keep(SocketOption<T> option, T value) {
        kept.put(option, value);
    }

    /** Sets all that is kept. */
    void applyTo(NetworkChannel socket) {
        kept.forEach((option, value) -> setKept(socket, option, value));
    }

    private static <T> void setKept(NetworkChannel socket, SocketOption<T> option, Object value) {
        set(socket, option, option.type().cast(value));
    }

    /** Sets an option of a socket. Systems may refuse one, as some do IP_TOS of IPv6, and the socket may be closed. */
    static <T> void set(NetworkChannel socket, SocketOption<T> option, T value) {
        try {
            socket.setOption(option, value);
        } catch (IOException | UnsupportedOperationException e) {
            logger.debug("{} of {} cannot be {}", option, socket, value, e);
        }
    }
}
