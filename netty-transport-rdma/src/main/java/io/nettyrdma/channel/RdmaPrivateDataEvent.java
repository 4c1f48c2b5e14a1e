// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * User event with the private data that the peer of an {@link RdmaChannel} sent with its connection request or reply.
 * The channel fires it exactly once per connection:
 *
 * <ul>
 *   <li>passive side: before the connection is accepted and the queue pair exists. Handlers may still set options such
 *       as {@link RdmaChannelOption#RDMA_PRIVATE_DATA} (the reply), {@link RdmaChannelOption#RDMA_RECEIVE_SIZE} and
 *       {@link RdmaChannelOption#RDMA_RECEIVE_COUNT}, or close the channel, which rejects the connection;</li>
 *   <li>active side: after the peer accepted, just before {@code channelActive}.</li>
 * </ul>
 *
 * <p>Immutable: the constructor and the accessor copy the bytes, so no handler changes the data of the next.
 *
 * @param data the bytes, empty if the peer sent none or the provider cannot deliver them
 */
public record RdmaPrivateDataEvent(byte[] data) {

    /** Copies the bytes. */
    public RdmaPrivateDataEvent {
        data = data.clone();
    }

    /** Returns a copy of the bytes. */
    @Override
    public byte[] data() {
        return data.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RdmaPrivateDataEvent event && Arrays.equals(data, event.data);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(data);
    }

    /** Returns the bytes in hexadecimal. */
    @Override
    public String toString() {
        return "RdmaPrivateDataEvent[" + ByteBufUtil.hexDump(data) + "]";
    }
}
