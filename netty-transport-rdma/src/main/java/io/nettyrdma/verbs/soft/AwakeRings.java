// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The connections over shared memory whose rings this side looks into by itself, so that their peers need not wake it.
 * One that was woken is among them until the loop waits, or has looked often; then it sleeps again.
 *
 * <p>Threading: that of the event channel.
 */
final class AwakeRings {

    /** Rounds before the selector is asked, so that all sockets have their turn. */
    private static final int MOST_ROUNDS = 8;

    /** Looks before those that find nothing sleep: some times what a wake-up costs. */
    private static final int MOST_LOOKS = 4096;

    /** How often the ring to a peer is looked at that is full, where no bell would tell of room. */
    private static final long DEAF_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<SameHost> awake = new ArrayList<>(0);
    private int rounds;
    private int looks;
    private boolean found;

    /** A connection has looked into its ring. */
    void add(SameHost connection) {
        awake.add(connection);
    }

    /** Looks into all rings; returns whether the selector need not be asked now. */
    boolean poll() {
        found = false;
        for (int i = awake.size() - 1; i >= 0; i--) {
            found |= awake.get(i).look() > 0;
        }
        looks += awake.size();
        if (looks > MOST_LOOKS) {
            sleep(0);
        }
        rounds = rounds == MOST_ROUNDS ? 0 : rounds + 1;
        return rounds != 0 && !awake.isEmpty();
    }

    /** Whether the last round has found something. */
    boolean hasFound() {
        return found;
    }

    /**
     * Has all peers wake this side.
     *
     * @param nanos for how long the loop would wait
     * @return for how long it may: not at all, if there is something in a ring
     */
    long sleep(long nanos) {
        looks = 0;
        awake.removeIf(SameHost::sleep);
        if (awake.isEmpty()) {
            return nanos;
        }
        return awake.stream().allMatch(SameHost::isDeaf) ? Math.min(nanos, DEAF_NANOS) : 0;
    }
}
