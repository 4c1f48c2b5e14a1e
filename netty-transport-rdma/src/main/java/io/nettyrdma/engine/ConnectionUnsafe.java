// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;

/**
 * Functions of Netty's base class that only a channel's own class can call, for the helpers shared by all kinds of
 * connected channels. {@link #close(ChannelPromise)} is the orderly close of {@link OrderlyClose}.
 */
public interface ConnectionUnsafe extends Channel.Unsafe {

    /** Closes as Netty does, without waiting for posted requests. */
    void closeNow(ChannelPromise promise);

    /** Closes as Netty does; pending writes fail because of {@code cause}. */
    void closeNow(Throwable cause);

    /** Ends the output as Netty does; pending writes fail. */
    void shutdownOutput(ChannelPromise promise);

    /** Goes on with flushed writes. */
    void flushAgain();
}
