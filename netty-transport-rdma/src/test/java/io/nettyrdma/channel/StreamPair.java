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

import io.netty.channel.ChannelHandler;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.util.function.Supplier;

/** A {@link LoopbackPair} of byte streams. */
final class StreamPair extends LoopbackPair<RdmaSocketChannel, StreamPair> {

    StreamPair(TestProvider provider, Supplier<ChannelHandler> serverHandler, Supplier<ChannelHandler> clientHandler) {
        this(provider, provider.extensions(), serverHandler, clientHandler);
    }

    /** @param verbs of the provider, or what a test has put before it */
    StreamPair(
            TestProvider provider,
            VerbsExtensions verbs,
            Supplier<ChannelHandler> serverHandler,
            Supplier<ChannelHandler> clientHandler) {
        super(
                RdmaServerSocketChannel.class,
                RdmaSocketChannel.class,
                RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), verbs),
                provider.serverLoops,
                serverHandler,
                clientHandler);
    }

    @Override
    StreamPair self() {
        return this;
    }
}
