// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.engine.IoLoop;
import io.nettyrdma.verbs.spi.VerbsExtensions;

/**
 * Drives RDMA channels on a Netty event loop:
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
 * new ServerBootstrap().group(group).channel(RdmaServerChannel.class)...
 * }</pre>
 *
 * <p>Without work a loop polls for {@link RdmaIoHandlerConfig#spin()} and then blocks.
 *
 * <p>Threading: as for {@link IoHandler}; {@link #wakeup()} from any thread.
 */
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaIoHandler extends IoLoop {

    private RdmaIoHandler(ThreadAwareExecutor executor, RdmaIoHandlerConfig config, VerbsExtensions verbs) {
        super(executor, verbs, RdmaByteBufAllocator.DEFAULT, config.spin());
    }

    /** Returns a factory of handlers with the default settings. */
    public static IoHandlerFactory newFactory() {
        return newFactory(RdmaIoHandlerConfig.defaults());
    }

    /**
     * Returns a factory of handlers.
     *
     * @throws UnsatisfiedLinkError     if RDMA is not available, for example because Netty is older than 4.2.7, see
     *                                  {@link Rdma#unavailabilityCause()}
     * @throws IllegalArgumentException if a system property of this project is misspelt
     */
    public static IoHandlerFactory newFactory(RdmaIoHandlerConfig config) {
        return newFactory(config, Rdma.extensions());
    }

    /** A factory of handlers over a provider's extensions, which tests make fail. */
    static IoHandlerFactory newFactory(RdmaIoHandlerConfig config, VerbsExtensions verbs) {
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new RdmaIoHandler(executor, config, verbs);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return true; // a loop without channels may be suspended, and resumed on another thread
            }
        };
    }
}
