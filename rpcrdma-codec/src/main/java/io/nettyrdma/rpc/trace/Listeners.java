// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.trace;

import io.netty.channel.Channel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Those of a configuration, in the order in which events reach them.
 *
 * <p>Threading: any.
 */
public record Listeners(List<RpcRdmaListener> all) {

    /** Of a configuration without one. */
    public static final Listeners NONE = new Listeners(List.of());

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RpcRdmaListener.class);

    /** Returns these, and another one behind them. */
    public Listeners and(RpcRdmaListener listener) {
        return new Listeners(Stream.concat(all.stream(), Stream.of(Objects.requireNonNull(listener, "listener")))
                .toList());
    }

    boolean areThere() {
        return !all.isEmpty();
    }

    /** Passes an event to each; logs exceptions that one throws. */
    public void onEvent(Channel channel, BiConsumer<RpcRdmaListener, Channel> event) {
        for (RpcRdmaListener listener : all) {
            try {
                event.accept(listener, channel);
            } catch (Throwable e) {
                // Errors too: this is in the middle of a call's end, which must not depend on who watches it.
                logger.warn("{} listener failed", channel, e);
            }
        }
    }
}
