// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for calls that hold their caller, see {@link VerbsExtensions#callExecutor()} and {@link
 * VerbsExtensions#connectExecutor()}. There are none while there are no such calls, and at most {@value #MAX_THREADS}
 * of each of the two kinds; further calls wait for one.
 */
public final class CallThreads {

    /** How many calls of each kind can be held at a time. */
    public static final int MAX_THREADS = 64;

    /** Runs the calls that end connections. */
    public static final Executor ENDS = newExecutor("rdma-call");

    /**
     * Runs the calls that connect, and those that end what has not connected. Peers decide how long these take, so they
     * must not hold the threads of {@link #ENDS}.
     */
    public static final Executor CONNECTS = newExecutor("rdma-connect");

    private CallThreads() {}

    /** Starts a daemon thread, which keeps no class loader of a program. */
    public static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
        return thread;
    }

    private static Executor newExecutor(String name) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                MAX_THREADS,
                MAX_THREADS,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory(name, true));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }
}
