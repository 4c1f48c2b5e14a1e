/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.channel;

import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * User event that tells the pipeline of an {@link RdmaChannel} which private data the peer sent with its connection
 * request or reply. It is fired exactly once per connection:
 *
 * <ul>
 *   <li>passive side: before the connection is accepted and the queue pair exists. Handlers may still set options such
 *       as {@link RdmaChannelOption#RDMA_PRIVATE_DATA} (the reply), {@link RdmaChannelOption#RDMA_RECEIVE_SIZE} and
 *       {@link RdmaChannelOption#RDMA_RECEIVE_COUNT}, or close the channel, which rejects the connection;</li>
 *   <li>active side: after the peer accepted, just before {@code channelActive}.</li>
 * </ul>
 *
 * <p>Immutable: the octets are copied on their way in and out, so that no handler changes what the next one sees.
 *
 * @param data the octets, empty if the peer sent none or the provider cannot deliver them
 */
public record RdmaPrivateDataEvent(byte[] data) {

    /** Copies the octets. */
    public RdmaPrivateDataEvent {
        data = data.clone();
    }

    /** A copy of the octets. */
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

    /** The octets in hexadecimal. */
    @Override
    public String toString() {
        return "RdmaPrivateDataEvent[" + ByteBufUtil.hexDump(data) + "]";
    }
}
