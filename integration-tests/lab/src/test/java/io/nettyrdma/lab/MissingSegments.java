// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.lab.Tshark.Payload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds octets of TCP that a capture lacks. Segments in another order are no loss: on {@code lo}, packets of a sender
 * that moves to another processor overtake each other. tshark's own analysis reports both alike.
 */
final class MissingSegments {
    private final Map<String, Octets> directions = new LinkedHashMap<>();

    private MissingSegments() {}

    /** Returns a sentence for each hole, with the frame that shows it. */
    static List<String> of(Path capture, Payload payload) throws IOException {
        MissingSegments segments = new MissingSegments();
        List<List<List<String>>> rows = new Tshark(capture, payload)
                .fields(
                        "tcp && tcp.flags.reset == 0",
                        "frame.number",
                        "tcp.stream",
                        "tcp.srcport",
                        "tcp.dstport",
                        "tcp.seq_raw",
                        "tcp.ack_raw",
                        "tcp.len",
                        "tcp.flags");
        for (List<List<String>> row : rows) {
            segments.add(row.stream().map(values -> values.get(0)).toList());
        }
        List<String> problems = new ArrayList<>();
        segments.directions.forEach((name, octets) -> octets.addHoles(name, problems));
        return problems;
    }

    private void add(List<String> row) {
        int frame = Integer.parseInt(row.get(0));
        String from = "stream " + row.get(1) + " from port " + row.get(2);
        String to = "stream " + row.get(1) + " from port " + row.get(3);
        int flags = Integer.decode(row.get(7));
        // SYN and FIN have a sequence number each.
        int length = Integer.parseInt(row.get(6)) + (flags & 0x01) + ((flags & 0x02) >> 1);
        directions.computeIfAbsent(from, name -> new Octets()).sent(frame, (int) Long.parseLong(row.get(4)), length);
        if ((flags & 0x10) != 0) {
            directions.computeIfAbsent(to, name -> new Octets()).acknowledged(frame, (int) Long.parseLong(row.get(5)));
        }
    }

    /** Octets that one side sent. Their positions are sequence numbers that do not wrap. */
    private static final class Octets {
        private final TreeMap<Long, Segment> segments = new TreeMap<>();
        private boolean begun;
        private long first;
        private long latest;
        private long acknowledged;
        private int acknowledgedBy;

        void sent(int frame, int sequence, int length) {
            long from = position(sequence);
            first = Math.min(first, from);
            segments.merge(from, new Segment(frame, from + length), Segment::longer);
        }

        void acknowledged(int frame, int sequence) {
            long to = position(sequence);
            if (to > acknowledged) {
                acknowledged = to;
                acknowledgedBy = frame;
            }
        }

        private long position(int sequence) {
            if (!begun) {
                begun = true;
                latest = sequence;
                first = sequence;
                acknowledged = sequence;
            }
            latest += sequence - (int) latest;
            return latest;
        }

        void addHoles(String name, List<String> problems) {
            long end = first;
            for (Map.Entry<Long, Segment> entry : segments.entrySet()) {
                if (entry.getKey() > end) {
                    problems.add("frame %d: TCP segments before it are not in the capture (%s, %d octets)"
                            .formatted(entry.getValue().frame, name, entry.getKey() - end));
                }
                end = Math.max(end, entry.getValue().end);
            }
            if (acknowledged > end) {
                problems.add("frame %d: it acknowledges %d octets that are not in the capture (%s)"
                        .formatted(acknowledgedBy, acknowledged - end, name));
            }
        }
    }

    private record Segment(int frame, long end) {
        Segment longer(Segment other) {
            return other.end > end ? other : this;
        }
    }
}
