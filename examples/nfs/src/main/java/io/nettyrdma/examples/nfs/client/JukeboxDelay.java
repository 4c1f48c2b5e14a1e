// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import java.time.Duration;

/**
 * When to come again to a server that says {@code NFS3ERR_JUKEBOX} (RFC 1813, section 2.6): after 100 ms at first,
 * twice as long each time, 5 s at most, and as often as fits into a limit.
 *
 * <p>Threading: one call's.
 */
final class JukeboxDelay {

    /** There is no other time. */
    static final long NEVER = -1;

    private static final long FIRST_MILLIS = 100;
    private static final long LONGEST_MILLIS = 5000;

    private final long limitMillis;
    private long sumMillis;
    private long nextMillis = FIRST_MILLIS;

    /** @param limit of all delays together */
    JukeboxDelay(Duration limit) {
        limitMillis = limit.toMillis();
    }

    /** The next delay, or {@link #NEVER}. */
    long nextMillis() {
        long millis = nextMillis;
        if (millis > limitMillis - sumMillis) {
            return NEVER;
        }
        sumMillis += millis;
        nextMillis = Math.min(LONGEST_MILLIS, 2 * millis);
        return millis;
    }
}
