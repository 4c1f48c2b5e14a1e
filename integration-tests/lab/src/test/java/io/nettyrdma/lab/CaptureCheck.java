// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.lab.RdmaOperation.Kind;
import io.nettyrdma.lab.Tshark.Payload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges a capture by a decoder that is not ours: no octet of TCP missing, nothing malformed, no bad CRC, message
 * sequence numbers 1, 2, 3 … per connection, direction and queue, and no reply without a call. The capture must hold
 * the MPA start-up, or tshark sees no iWARP in it, which is a problem too.
 */
final class CaptureCheck {
    private static final String SEND_QUEUE = "0";
    private static final Pattern FRAME = Pattern.compile("^Frame (\\d+):");

    private final Path capture;
    private final Payload payload;
    private final List<String> problems = new ArrayList<>();
    private final Map<String, Long> lastMsn = new HashMap<>();
    private final Set<Call> calls = new HashSet<>();
    private final Map<String, Integer> sendsLessHeaders = new TreeMap<>();
    private int fpduCount;
    private int crcCount;
    private int callCount;
    private int replyCount;
    private int terminateCount;

    private CaptureCheck(Path capture, Payload payload) {
        this.capture = capture;
        this.payload = payload;
    }

    static CaptureReport of(Path capture, Payload payload) throws IOException {
        CaptureReport whole = ofPart(capture, payload);
        if (whole.problems().isEmpty()) {
            return whole;
        }
        List<CaptureReport> reports = new ArrayList<>();
        for (Path part : ReusedPorts.split(capture, payload)) {
            reports.add(part.equals(capture) ? whole : ofPart(part, payload));
        }
        return CaptureReport.sum(capture, reports);
    }

    private static CaptureReport ofPart(Path capture, Payload payload) throws IOException {
        CaptureCheck check = new CaptureCheck(capture, payload);
        check.problems.addAll(MissingSegments.of(capture, payload));
        check.readFrames();
        check.readCrcs();
        if (payload == Payload.RPC_OVER_RDMA) {
            check.readMessages();
        }
        return new CaptureReport(
                capture,
                List.copyOf(check.problems),
                check.fpduCount,
                check.crcCount,
                check.callCount,
                check.replyCount,
                check.terminateCount);
    }

    private void readFrames() throws IOException {
        // NFS itself is not looked at: tshark 4.0 calls good NFS data malformed when a part of it travels in a chunk.
        List<List<List<String>>> rows = new Tshark(capture, payload)
                .without("nfs")
                .fields(
                        "iwarp_mpa || _ws.malformed",
                        "frame.number",
                        "tcp.stream",
                        "tcp.srcport",
                        "iwarp_mpa.ulpdulength",
                        "iwarp_ddp.qn",
                        "iwarp_ddp.msn",
                        "iwarp_ddp.mo",
                        "rpcordma.xid",
                        "iwarp_rdma.terminate",
                        "_ws.malformed");
        for (List<List<String>> row : rows) {
            Frame frame = new Frame(row);
            if (!frame.malformed.isEmpty()) {
                problem(frame, "malformed: " + frame.malformed);
            }
            fpduCount += frame.fpdus;
            terminateCount += frame.terminates;
            checkSequence(frame);
            frame.xids.forEach(xid -> sendsLessHeaders.merge(frame.direction(), -1, Integer::sum));
        }
        if (fpduCount == 0) {
            problems.add("tshark found no FPDU, so nothing was checked");
        }
        if (payload == Payload.RPC_OVER_RDMA) {
            // tshark calls some broken headers malformed, but passes over others without a word.
            sendsLessHeaders.forEach((direction, difference) -> {
                if (difference != 0) {
                    problems.add(direction + ": " + difference
                            + " Sends without an RPC-over-RDMA header that tshark accepts");
                }
            });
        }
    }

    private void checkSequence(Frame frame) {
        if (frame.queues.size() != frame.msns.size() || frame.queues.size() != frame.offsets.size()) {
            problem(frame, "untagged FPDUs without queue, MSN or offset: " + frame.queues + frame.msns + frame.offsets);
            return;
        }
        for (int i = 0; i < frame.msns.size(); i++) {
            String queue = frame.direction() + ", QN " + frame.queues.get(i);
            long msn = Long.parseLong(frame.msns.get(i));
            long last = lastMsn.getOrDefault(queue, 0L);
            // The later segments of a message repeat its MSN.
            boolean startsMessage = frame.offsets.get(i).equals("0");
            long expected = startsMessage ? last + 1 : last;
            if (startsMessage && frame.queues.get(i).equals(SEND_QUEUE)) {
                sendsLessHeaders.merge(frame.direction(), 1, Integer::sum);
            }
            if (msn != expected) {
                problem(frame, queue + ": MSN " + msn + ", not " + expected);
            }
            lastMsn.put(queue, msn);
        }
    }

    /** Pairs calls and replies; those of one direction may have the xids of the other. */
    private void readMessages() throws IOException {
        for (RdmaOperation operation : RdmaOperations.of(capture)) {
            if (operation.kind() == Kind.MPA_REQUEST) {
                calls.removeIf(call -> call.connection.equals(operation.connection()));
            } else if (operation.kind() == Kind.SEND && operation.header() != null) {
                Call call = new Call(
                        operation.connection(),
                        operation.isReverse(),
                        operation.header().xid());
                if (operation.isCall()) {
                    calls.add(call);
                    callCount++;
                } else if (calls.remove(call)) {
                    replyCount++;
                } else {
                    problems.add("frame %d: reply with xid 0x%08x that was not called, or was answered before"
                            .formatted(operation.frame(), call.xid));
                }
            }
        }
        if (callCount == 0) {
            problems.add("tshark found no RPC call, so no xid was checked");
        }
    }

    private void readCrcs() throws IOException {
        // Good and bad CRCs have the same field value; only the text tells them apart.
        String frame = "";
        for (String line : new Tshark(capture, payload).details("iwarp_mpa.crc_check", "iwarp_mpa")) {
            Matcher start = FRAME.matcher(line);
            if (start.find()) {
                frame = start.group(1);
            }
            if (line.contains("Good CRC32")) {
                crcCount++;
            } else if (line.contains("Bad CRC32")) {
                crcCount++;
                problems.add("frame " + frame + ": " + line.strip());
            }
        }
    }

    private void problem(Frame frame, String what) {
        problems.add("frame " + frame.number + ": " + what);
    }

    /** What is known of a call without a reply. */
    private record Call(String connection, boolean reverse, int xid) {}

    /** One row of tshark's fields. */
    private static final class Frame {
        final String number;
        final String stream;
        final String sourcePort;
        final int fpdus;
        final List<String> queues;
        final List<String> msns;
        final List<String> offsets;
        final List<String> xids;
        final int terminates;
        final List<String> malformed;

        Frame(List<List<String>> row) {
            number = String.join("", row.get(0));
            stream = String.join("", row.get(1));
            sourcePort = String.join("", row.get(2));
            fpdus = row.get(3).size();
            queues = row.get(4);
            msns = row.get(5);
            offsets = row.get(6);
            xids = row.get(7);
            terminates = row.get(8).size();
            malformed = row.get(9);
        }

        String direction() {
            return "stream " + stream + " from port " + sourcePort;
        }
    }
}
