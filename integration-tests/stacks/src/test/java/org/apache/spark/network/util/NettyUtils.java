// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
