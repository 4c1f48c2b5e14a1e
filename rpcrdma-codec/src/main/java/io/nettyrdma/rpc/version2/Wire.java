// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.error.RpcRdmaException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What a connection of version 2 needs from the world below: memory, the time, and a way to send and to end.
 *
 * <p>Threading: confined to the executor of the handler.
 */
interface Wire {

    ByteBufAllocator alloc();

    /** Returns the time in nanoseconds, 0 or more. */
    long nanoTime();

    /** Has the connection look at its deadlines at this time of {@link #nanoTime} at the latest. */
    void wakeBy(long nanos);

    /** Returns the address of the peer, {@code null} if it is not known. */
    @Nullable
    SocketAddress remoteAddress();

    ChannelPromise newPromise();

    /**
     * Takes over a message. It is sent with the next {@link #flush}.
     *
     * @param invalidateHandle of the peer, to be invalidated by the Send; 0 for none
     */
    void write(ByteBuf message, int invalidateHandle, ChannelPromise promise);

    void flush();

    /** Passes the reason to the handler, and closes. */
    void end(RpcRdmaException why);

    /** Closes without a reason of its own. */
    void close();

    /** The connection has ended, and has no deadlines any more. */
    void onClosed();
}
