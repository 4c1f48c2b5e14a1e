// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C into an interrupt of a command and lets it clean up before the program ends, for ten seconds at most.
 *
 * <p>Threading: made and closed by the thread that is to be interrupted.
 */
final class CleanEnd {

    private static final long LIMIT_SECONDS = 10;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook;

    private CleanEnd(Thread command) {
        hook = new Thread(() -> end(command), "clean-end");
    }

    /** Takes effect until it is closed. */
    static CleanEnd ofThisThread() {
        CleanEnd end = new CleanEnd(Thread.currentThread());
        Runtime.getRuntime().addShutdownHook(end.hook);
        return end;
    }

    private void end(Thread command) {
        command.interrupt();
        try {
            if (!ended.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("error: could not clean up in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // somebody is in a hurry
        }
    }

    /** The command has cleaned up. */
    void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The program is ending already, and the hook with it.
        }
    }
}
