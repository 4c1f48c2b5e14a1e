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
package io.nettyrdma.stacks;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.channel.StreamTransport;
import reactor.netty.resources.LoopResources;

/**
 * The event loops and channels of {@link StreamTransport} for Reactor Netty. Servers and clients take an object of this
 * class by {@code runOn}.
 */
final class ReactorLoops implements LoopResources {

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return StreamTransport.UNDER_TEST.group();
    }

    @Override
    public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup group) {
        try {
            return type.cast(
                    onChannelClass(type, group).getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type.getName(), e);
        }
    }

    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup group) {
        if (type == SocketChannel.class) {
            return StreamTransport.UNDER_TEST.client().asSubclass(type);
        }
        if (type == ServerSocketChannel.class) {
            return StreamTransport.UNDER_TEST.server().asSubclass(type);
        }
        throw new IllegalArgumentException("type: " + type + " (expected: SocketChannel or ServerSocketChannel)");
    }
}
