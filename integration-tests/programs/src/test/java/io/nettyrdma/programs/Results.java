// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.zip.CRC32;

/**
 * Prints the results of a program: lines that depend neither on time nor on ports, so that two runs print the same.
 * {@link ProgramsTest} compares them.
 */
final class Results {

    /** The beginning of each line of results; all other lines are logs. */
    static final String PREFIX = "result: ";

    private static final long DEADLINE_SECONDS = 60;

    /** The property with a port that the agent leaves to TCP. */
    static final String TCP_PORT = "programs.tcp";

    private Results() {}

    /** Prints a result. */
    static void print(String what, Object value) {
        System.out.println(PREFIX + what + ": " + value);
    }

    /** Prints the class and the message of a failure, without ports. */
    static void printFailure(String what, Throwable failure) {
        Throwable reason = failure;
        while ((reason instanceof CompletionException || reason instanceof ExecutionException)
                && reason.getCause() != null) {
            reason = reason.getCause();
        }
        String text = reason.getClass().getName() + ": " + reason.getMessage();
        String line = text.lines().findFirst().orElseThrow().replaceAll(":\\d+", ":PORT");
        print(what, line);
    }

    /** Returns bytes that are the same in each run. */
    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Returns length and checksum of {@code bytes}. */
    static String sum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return bytes.length + " bytes, CRC-32 " + Long.toHexString(crc.getValue());
    }

    /** Returns a port of 127.0.0.1 that has no listener. */
    static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Waits for a result, at most for a minute. */
    static <T> T await(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    /** Makes {@code count} requests, {@code atOnce} of them at a time, and returns the sum of their results. */
    static long sumOf(int count, int atOnce, IntFunction<? extends CompletionStage<Integer>> request) throws Exception {
        Queue<CompletionStage<Integer>> pending = new ArrayDeque<>();
        long sum = 0;
        for (int i = 0; i < count; i++) {
            if (pending.size() == atOnce) {
                sum += await(pending.remove());
            }
            pending.add(request.apply(i));
        }
        while (!pending.isEmpty()) {
            sum += await(pending.remove());
        }
        return sum;
    }
}
