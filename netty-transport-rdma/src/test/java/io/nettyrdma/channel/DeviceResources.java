// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the kernel has of its one device, as {@code rdma res show} counts it for all processes.
 *
 * @param counts by what is counted: {@code qp}, {@code cm_id}, {@code mr} and others
 */
record DeviceResources(Map<String, Integer> counts) {

    private static final Pattern COUNT = Pattern.compile(" (\\w+) (\\d+)");

    static DeviceResources now() {
        String said = said("rdma", "res", "show");
        Map<String, Integer> counts = new TreeMap<>();
        for (Matcher count = COUNT.matcher(said); count.find(); ) {
            counts.put(count.group(1), Integer.parseInt(count.group(2)));
        }
        if (!counts.containsKey("qp")) {
            throw new IllegalStateException("rdma res show says: " + said);
        }
        return new DeviceResources(counts);
    }

    /** Memory regions. */
    int regions() {
        return counts.get("mr");
    }

    /** The queue pairs and ids, and the calls that hold a thread: one of these knows what keeps a connection. */
    private static String details() {
        StringBuilder text = new StringBuilder(said("rdma", "res", "show", "qp"));
        text.append(said("rdma", "res", "show", "cm_id"));
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getName().startsWith("rdma-")) {
                text.append(thread.getName()).append('\n');
                for (StackTraceElement element : stack) {
                    text.append("  ").append(element).append('\n');
                }
            }
        });
        return text.toString();
    }

    private static String said(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new IllegalStateException(String.join(" ", command) + " cannot be run", e);
        }
    }

    /** Waits until there are as many queue pairs and ids again as there were. */
    static DeviceResources awaitConnectionsOf(DeviceResources before) {
        DeviceResources[] now = new DeviceResources[1];
        ChannelPair.until(
                () -> {
                    now[0] = now();
                    return now[0].counts.get("qp").equals(before.counts.get("qp"))
                            && now[0].counts.get("cm_id").equals(before.counts.get("cm_id"));
                },
                () -> "as many queue pairs and ids as in " + before + ", there are " + now[0] + '\n' + details());
        return now[0];
    }
}
