// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs with a program in C over {@code siw} that {@code siw} keeps from beginning, whichever program is the other end.
 * Tests repeat such a run, but only for a {@link Cause}. Each repeat is printed and counted: too many of them fail the
 * test, as they might be a fault of this project that looks like one of {@code siw}.
 */
final class SiwRepeats {

    /** A fault of {@code siw}. */
    enum Cause {
        /**
         * The first bytes of a program arrive before the kernel has handed the socket over, and {@code siw} does not
         * see them. The program waits for an answer and sends no more.
         */
        FIRST_BYTES_OVERLOOKED,
        /** The first bytes of a server arrive before {@code siw} has processed its reply, and the connect fails. */
        FIRST_BYTES_REFUSED
    }

    /** A run, which returns why it has to be repeated, or nothing if it succeeded. */
    @FunctionalInterface
    interface Run {
        Optional<Cause> attempt() throws Exception;
    }

    /** Programs end by a time limit of 25 s or more, and only then are overlooked bytes delivered. */
    static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final int MOST_OF_ONE = 3;
    /** Of all runs of a JVM, which are about a hundred. */
    private static final int MOST = 12;

    private static final AtomicInteger REPEATS = new AtomicInteger();

    private SiwRepeats() {}

    /** Runs until siw lets a run begin, a few times at most. */
    static void run(String name, Run run) throws Exception {
        Optional<Cause> cause = run.attempt();
        for (int repeats = 1; cause.isPresent(); repeats++) {
            int all = REPEATS.incrementAndGet();
            String repeat = "repeat %d of at most %d: %s, %s".formatted(all, MOST, cause.get(), name);
            System.out.println(repeat);
            assertThat(KernelDevice.isSiw()).as(repeat).isTrue();
            assertThat(repeats).as(repeat).isLessThanOrEqualTo(MOST_OF_ONE);
            assertThat(all).as(repeat).isLessThanOrEqualTo(MOST);
            cause = run.attempt();
        }
    }
}
