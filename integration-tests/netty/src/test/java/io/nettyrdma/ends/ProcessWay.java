// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

/** How a process ends. */
enum ProcessWay {
    /** SIGKILL. */
    KILL,
    /** Runtime.halt. */
    HALT,
    /** SIGTERM. */
    TERM,
    /** SIGTERM, and a shutdown hook of the program works for a second, writes and closes. */
    TERM_HOOK,
    /** System.exit with open channels. */
    EXIT,
    /** System.exit when close() has succeeded. */
    EXIT_AFTER_CLOSE,
    /** The main method returns, and all other threads are daemons. */
    MAIN_END
}
