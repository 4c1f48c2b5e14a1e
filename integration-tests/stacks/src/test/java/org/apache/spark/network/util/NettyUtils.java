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
package org.apache.spark.network.util;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.channel.StreamTransport;
import java.util.concurrent.ThreadFactory;

/**
 * Replaces Spark's class of this name, whose event loops and channels are of NIO or epoll: these are of
 * {@link StreamTransport}. Test classes are the first of the class path.
 */
public final class NettyUtils {

    private static final int MAX_DEFAULT_THREADS = 8;

    private NettyUtils() {}

    public static EventLoopGroup createEventLoop(IOMode mode, int threads, String prefix) {
        return new MultiThreadIoEventLoopGroup(threads, createThreadFactory(prefix), StreamTransport.UNDER_TEST.io());
    }

    public static Class<? extends Channel> getClientChannelClass(IOMode mode) {
        return StreamTransport.UNDER_TEST.client();
    }

    public static Class<? extends ServerChannel> getServerChannelClass(IOMode mode) {
        return StreamTransport.UNDER_TEST.server();
    }

    // The rest is as Spark has it.

    public static ThreadFactory createThreadFactory(String prefix) {
        return new DefaultThreadFactory(prefix, true);
    }

    public static long freeDirectMemory() {
        return PlatformDependent.maxDirectMemory() - PlatformDependent.usedDirectMemory();
    }

    public static TransportFrameDecoder createFrameDecoder() {
        return new TransportFrameDecoder();
    }

    public static String getRemoteAddress(Channel channel) {
        return channel == null || channel.remoteAddress() == null
                ? "<unknown remote>"
                : channel.remoteAddress().toString();
    }

    public static int defaultNumThreads(int cores) {
        return Math.min(cores > 0 ? cores : Runtime.getRuntime().availableProcessors(), MAX_DEFAULT_THREADS);
    }

    public static PooledByteBufAllocator getSharedPooledByteBufAllocator(boolean direct, boolean cached) {
        return PooledByteBufAllocator.DEFAULT;
    }

    public static PooledByteBufAllocator createPooledByteBufAllocator(boolean direct, boolean cached, int cores) {
        return new PooledByteBufAllocator(direct);
    }

    public static boolean preferDirectBufs(TransportConf conf) {
        return conf.preferDirectBufs();
    }
}
