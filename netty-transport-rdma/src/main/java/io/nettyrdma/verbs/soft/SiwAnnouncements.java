// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * What this provider does only because of peers on Linux's siw, which hands the socket over to its receiver only after
 * it has sent the MPA Reply. FPDUs that arrive in between stay unread until the next segment, which for a requester
 * that waits for an answer would be never. So an initiator sends further empty Writes to a responder that has sent
 * nothing yet; they mean nothing to one that is just silent.
 */
final class SiwAnnouncements {

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int REPEATS = 3;

    private SiwAnnouncements() {}

    /** Repeats an announcement after 100 ms, 500 ms and 2.1 s while the responder is silent. */
    static void repeat(StreamHost host, BooleanSupplier silent, Runnable announce) {
        repeat(host, silent, announce, REPEATS, FIRST_NANOS);
    }

    private static void repeat(
            StreamHost host, BooleanSupplier silent, Runnable announce, int repeats, long delayNanos) {
        host.deadline(delayNanos, () -> {
            if (silent.getAsBoolean()) {
                announce.run();
                if (repeats > 1) {
                    repeat(host, silent, announce, repeats - 1, 4 * delayNanos);
                }
            }
        });
    }
}
