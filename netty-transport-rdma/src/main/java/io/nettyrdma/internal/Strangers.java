// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Clients that reach a listener without speaking RDMA. The agent hears of them, to advise which port stays TCP.
 *
 * <p>Threading: any thread.
 */
public final class Strangers {

    private static volatile Consumer<InetSocketAddress> hearer = listener -> {};

    private Strangers() {}

    /** Sets who gets the address that such a client has reached. */
    public static void hear(Consumer<InetSocketAddress> consumer) {
        hearer = consumer;
    }

    /** A client has sent something else than RDMA to {@code listener}, which is {@code null} if that is not known. */
    public static void onStranger(@Nullable InetSocketAddress listener) {
        if (listener != null) {
            hearer.accept(listener);
        }
    }
}
