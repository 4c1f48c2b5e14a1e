// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.nio.file.Path;
import java.util.List;

/**
 * What {@link CaptureCheck} found in a capture.
 *
 * @param problems one sentence each, with the frame; empty for a good capture
 * @param fpduCount FPDUs dissected
 * @param crcCount FPDUs whose CRC was in use, so that tshark checked it
 * @param callCount RPC calls seen, in either direction
 * @param replyCount RPC replies seen that had a call
 * @param terminateCount RDMAP Terminates; no problem in themselves
 */
record CaptureReport(
        Path capture,
        List<String> problems,
        int fpduCount,
        int crcCount,
        int callCount,
        int replyCount,
        int terminateCount) {

    /** Returns the report of a capture from those of its parts. */
    static CaptureReport sum(Path capture, List<CaptureReport> parts) {
        return new CaptureReport(
                capture,
                parts.stream()
                        .flatMap(part ->
                                part.problems.stream().map(problem -> part.capture.getFileName() + ", " + problem))
                        .toList(),
                parts.stream().mapToInt(CaptureReport::fpduCount).sum(),
                parts.stream().mapToInt(CaptureReport::crcCount).sum(),
                parts.stream().mapToInt(CaptureReport::callCount).sum(),
                parts.stream().mapToInt(CaptureReport::replyCount).sum(),
                parts.stream().mapToInt(CaptureReport::terminateCount).sum());
    }

    CaptureReport assertGood() {
        if (!problems.isEmpty()) {
            throw new AssertionError(problems.size() + " problems in " + capture + ":\n  "
                    + String.join("\n  ", problems.subList(0, Math.min(20, problems.size()))));
        }
        return this;
    }
}
