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

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;

/**
 * Functions of Netty's base class that only a channel's own class can call, for the helpers shared by all kinds of
 * connected channels. {@link #close(ChannelPromise)} is the orderly close of {@link OrderlyClose}.
 */
interface ConnectionUnsafe extends Channel.Unsafe {

    /** Closes as Netty does, without waiting for posted requests. */
    void closeNow(ChannelPromise promise);

    /** Closes as Netty does; pending writes fail because of {@code cause}. */
    void closeNow(Throwable cause);

    /** Ends the output as Netty does; pending writes fail. */
    void shutdownOutput(ChannelPromise promise);

    /** Goes on with flushed writes. */
    void flushAgain();
}
