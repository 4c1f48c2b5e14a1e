// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The guest's serial console: every line goes to a file and is kept for waits and failure messages.
 *
 * <p>Threading: one daemon thread reads; all other methods may be called from any thread.
 */
final class GuestConsole {
    private static final int TAIL_LINES = 40;

    private final Path file;
    private final List<String> lines = new ArrayList<>();
    private boolean ended;

    GuestConsole(InputStream console, Path file) {
        this.file = file;
        Thread reader = new Thread(() -> read(console), "lab-console");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream console) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(console, StandardCharsets.UTF_8));
                BufferedWriter out = Files.newBufferedWriter(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(line);
                out.newLine();
                out.flush();
                add(line);
            }
        } catch (IOException e) {
            // Also how the end of QEMU shows; whoever waits for the console gets to read it.
            add("(console ended: " + e + ")");
        } finally {
            end();
        }
    }

    private synchronized void add(String line) {
        lines.add(line);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** Waits for a line that contains {@code marker}, also one printed before, and returns it. */
    synchronized String await(String marker, Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        int next = 0;
        while (true) {
            for (; next < lines.size(); next++) {
                if (lines.get(next).contains(marker)) {
                    return lines.get(next);
                }
            }
            long remainingMillis = (deadline - System.nanoTime()) / 1_000_000;
            if (ended || remainingMillis <= 0) {
                String why = ended ? "the console ended before '" : "waited " + limit.toSeconds() + " s in vain for '";
                throw new AssertionError(why + marker + "'\n" + tail());
            }
            try {
                wait(remainingMillis);
            } catch (InterruptedException e) {
                throw Await.interrupted("'" + marker + "' on the guest's console", e);
            }
        }
    }

    synchronized String tail() {
        List<String> last = lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
        return "--- end of the guest's console (all of it: " + file + ")\n" + String.join("\n", last) + "\n---";
    }
}
