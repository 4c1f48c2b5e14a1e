// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.lab.Tshark.Payload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Connections of a capture that have the ports of an earlier one: on loopback, Linux gives a port out again a second
 * after its connection has ended. tshark 4.0 still has the earlier one's MPA in mind then, and calls the start-up of
 * the later one malformed.
 */
final class ReusedPorts {

    private ReusedPorts() {}

    /** Returns captures without such connections, which together hold all: {@code capture} itself if it has none. */
    static List<Path> split(Path capture, Payload payload) throws IOException {
        Map<String, Set<String>> streamsOfPorts = new LinkedHashMap<>();
        for (List<List<String>> row : new Tshark(capture, payload)
                .fields("tcp.flags.syn == 1 && tcp.flags.ack == 0", "tcp.srcport", "tcp.dstport", "tcp.stream")) {
            streamsOfPorts
                    .computeIfAbsent(row.get(0) + " to " + row.get(1), ports -> new LinkedHashSet<>())
                    .addAll(row.get(2)); // a SYN may come twice
        }
        List<List<String>> parts = new ArrayList<>(List.of(new ArrayList<>()));
        for (Set<String> streams : streamsOfPorts.values()) {
            int part = 0;
            for (String stream : streams) {
                if (parts.size() == part) {
                    parts.add(new ArrayList<>());
                }
                parts.get(part++).add(stream);
            }
        }
        if (parts.size() == 1) {
            return List.of(capture);
        }
        List<Path> captures = new ArrayList<>();
        for (List<String> streams : parts) {
            Path part = capture.resolveSibling("part-" + captures.size() + "-of-" + capture.getFileName());
            new Tshark(capture, payload).write("tcp.stream in {" + String.join(", ", streams) + "}", part);
            captures.add(part);
        }
        return captures;
    }
}
