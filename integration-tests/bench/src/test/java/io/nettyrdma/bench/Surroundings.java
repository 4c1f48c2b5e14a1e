// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** Where and how was measured: without it numbers mean nothing. */
final class Surroundings {

    private Surroundings() {}

    /** Machine, JDK, date and rules, as the head of a report. */
    static String text(int rounds) {
        return "# Benchmarks\n\n"
                + "- " + LocalDate.now(ZoneOffset.UTC) + ", " + processor() + ", "
                + Runtime.getRuntime().availableProcessors() + " processors, " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + "\n"
                + "- " + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version") + ", "
                + String.join(
                        " ",
                        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                                .filter(argument -> argument.startsWith("-X"))
                                .toList())
                + "\n"
                + "- Every transport in a JVM of its own, server and client with one event loop each, TCP over"
                + " loopback; threads are placed by the system. One message is one RDMA Send, and a"
                + " part of an RDMA Write on an RDMA stream; CRC mode: "
                + System.getProperty("io.nettyrdma.soft.crcMode", "prefer (on)") + ".\n"
                + "- " + rounds
                + " rounds, in each of which every transport has its turn; medians over the rounds. Each"
                + " turn has new event loops, and as many messages for warming up as are measured; a first turn of at"
                + " least 20,000 messages is for the compiler.\n\n";
    }

    private static String processor() {
        try {
            List<String> lines = Files.readAllLines(Path.of("/proc/cpuinfo"));
            return lines.stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    /** Octets of live heap and of direct memory, Netty's included, after a garbage collection. */
    static long memoryBytes() {
        System.gc();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        // The JDK counts Netty's direct memory too, unless Netty allocates it behind the JDK's back.
        return Math.max(direct, PlatformDependent.usedDirectMemory())
                + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
