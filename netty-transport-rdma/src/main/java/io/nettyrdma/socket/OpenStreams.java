// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.Channel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connected byte streams of this JVM. They are closed when it ends in order ({@code System.exit}, a signal, the end
 * of the last thread that is no daemon), because a program in C that reads a stream which ends without DISCONNECT may
 * wait for ever (rsockets of librdmacm 44). The hook is there only while a stream is, so that a class loader can go
 * when its streams have.
 *
 * <p>Threading: any thread. The lock is taken when a stream begins or ends; the hook belongs to all event loops.
 */
final class OpenStreams {

    /** How long the end of the JVM waits for its streams. */
    private static final long WAIT_MILLIS = 1000;

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(OpenStreams.class);
    private static final Set<Channel> OPEN = new HashSet<>();
    private static @Nullable Thread hook;

    private OpenStreams() {}

    /** The stream has a peer. */
    static synchronized void add(Channel stream) {
        OPEN.add(stream);
        if (hook == null) {
            Thread made = new Thread(OpenStreams::closeAll, "rdma-streams-end");
            try {
                Runtime.getRuntime().addShutdownHook(made);
                hook = made;
            } catch (IllegalStateException e) {
                logger.debug("{} begins while the JVM ends; its peer may get no notice", stream);
            }
        }
    }

    /** The stream has closed. */
    static synchronized void remove(Channel stream) {
        OPEN.remove(stream);
        Thread made = hook;
        if (made != null && OPEN.isEmpty()) {
            hook = null;
            try {
                Runtime.getRuntime().removeShutdownHook(made);
            } catch (IllegalStateException e) {
                logger.debug("the last stream ends while the JVM does");
            }
        }
    }

    private static synchronized List<Channel> open() {
        return List.copyOf(OPEN);
    }

    private static void closeAll() {
        List<Channel> streams = open();
        CountDownLatch left = new CountDownLatch(streams.size());
        for (Channel stream : streams) {
            try {
                stream.close().addListener(closed -> left.countDown());
            } catch (RejectedExecutionException e) {
                left.countDown(); // its loop has ended, and closed it
            }
        }
        try {
            if (!left.await(WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
                logger.debug("{} streams have not closed within {} ms", left.getCount(), WAIT_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
