// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import java.util.Random;
import java.util.stream.IntStream;

/**
 * Which of many like positions a build tries: every n-th, from one on that a seed chooses, so that builds try others;
 * or every one of them if the system property {@code sweep.everything} is true, as it is with {@code -Plong}. The seed
 * is {@code sweep.seed}, or new in each JVM and printed.
 */
public final class Sweep {

    private static final boolean EVERYTHING = Boolean.getBoolean("sweep.everything");
    private static final Random RANDOM = new Random(seed());

    private Sweep() {}

    /** Whether the build tries every position of every sweep. */
    public static boolean isOfEverything() {
        return EVERYTHING;
    }

    private static long seed() {
        long seed = Long.getLong("sweep.seed", System.nanoTime());
        if (!EVERYTHING) {
            System.out.println("Sweep: -Dsweep.seed=" + seed);
        }
        return seed;
    }

    /**
     * Positions in their order.
     *
     * @param from the first that may be tried
     * @param to behind the last
     * @param stride from each to the next, at least 1
     */
    public static int[] positions(int from, int to, int stride) {
        int step = EVERYTHING ? 1 : stride;
        return IntStream.iterate(from + RANDOM.nextInt(step), it -> it < to, it -> it + step)
                .toArray();
    }
}
