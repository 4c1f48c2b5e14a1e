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
