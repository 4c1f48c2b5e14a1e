// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Processes that compute, each of which keeps a processor busy, as programs beside a server do. They end when they are
 * closed, and by themselves if the process that has started them ends.
 *
 * <p>Threading: one thread calls all methods. Ownership: of the processes.
 */
final class BusyNeighbours implements AutoCloseable {

    private static final int END_SECONDS = 30;

    private final List<Process> processes = new ArrayList<>();

    private BusyNeighbours() {}

    /** Starts so many and returns when all compute. */
    static BusyNeighbours start(int count) throws IOException {
        BusyNeighbours neighbours = new BusyNeighbours();
        try {
            for (int i = 0; i < count; i++) {
                neighbours.processes.add(neighbour().start());
            }
            for (Process process : neighbours.processes) {
                if (process.getInputStream().read() < 0) {
                    throw new IOException("a busy neighbour ended before it computed; its errors are above");
                }
            }
            return neighbours;
        } catch (IOException | RuntimeException e) {
            neighbours.close();
            throw e;
        }
    }

    private static ProcessBuilder neighbour() {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx16m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BusyNeighbours.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** Fails if one of them is no more: what was measured then had its processor. */
    void checkAlive() throws IOException {
        if (!processes.stream().allMatch(Process::isAlive)) {
            throw new IOException("a busy neighbour has ended too early; its errors are above");
        }
    }

    @Override
    public void close() throws IOException {
        processes.forEach(Process::destroyForcibly);
        try {
            for (Process process : processes) {
                if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException("a busy neighbour does not end");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Computes until standard input, which the benchmark holds open, ends. */
    public static void main(String[] arguments) throws IOException {
        Thread computing = new Thread(BusyNeighbours::compute, "neighbour");
        computing.setDaemon(true);
        computing.start();
        System.out.write('\n');
        System.out.flush();
        while (System.in.read() >= 0) {
            // The benchmark still runs.
        }
        System.exit(0);
    }

    private static void compute() {
        long number = System.nanoTime();
        while (number != 0) { // which xorshift never returns for another number
            number ^= number << 13;
            number ^= number >>> 7;
            number ^= number << 17;
        }
    }
}
