// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.captures.TcpCapture;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a bare socket has done to Linux 6.1 and what Linux has answered, through this provider's decoders: every
 * violation that the octets show is found and named, and nothing else happens. The tables beside the captures were
 * checked against the answers of Linux and against tshark.
 */
final class CaptureReplayTest {

    @ParameterizedTest
    @ValueSource(strings = {"siw-mpa", "siw-errors"})
    void capturedViolationsAreNamed(String capture) throws Exception {
        List<String> report = new ArrayList<>();
        CaptureReplay replay = new CaptureReplay();
        for (CapturedConnection c :
                TcpCapture.connections(CaptureReplayTest.class, "/captures/" + capture + ".pcap.gz")) {
            List<CaptureReplay.Direction> both = replay.replay(c);
            report.add(c.initiatorPort() + " > " + c.responderPort() + ": "
                    + both.get(0).text());
            report.add(c.responderPort() + " > " + c.initiatorPort() + ": "
                    + both.get(1).text());
        }
        assertThat(report).isEqualTo(lines("/captures/" + capture + ".txt"));
    }

    /** Where the octets alone show the violation, Linux has seen the same one, unless it does not look. */
    @Test
    void linuxHasTerminatedForTheSameReason() throws Exception {
        List<String> differences = new ArrayList<>();
        int same = 0;
        CaptureReplay replay = new CaptureReplay();
        for (CapturedConnection c : TcpCapture.connections(CaptureReplayTest.class, "/captures/siw-errors.pcap.gz")) {
            List<CaptureReplay.Direction> both = replay.replay(c);
            TerminateError own = both.get(0).violation();
            Terminate linux = both.get(1).terminate();
            if (own != null && linux != null && linux.describe().startsWith(own.text() + " (")) {
                same++;
            } else if (own != null) {
                differences.add(own.text() + ", Linux: " + (linux == null ? "nothing" : linux.describe()));
            }
        }
        assertThat(same).isEqualTo(11);
        assertThat(differences)
                .containsExactly(
                        // It parses by the opcode and does not look at the T bit.
                        "RDMAP/remote operation/unexpected opcode, Linux: DDP/untagged buffer/MSN out of range"
                                + " (21 03 03 00)",
                        // It has a code of its own for it.
                        "DDP/tagged buffer/TO wrap, Linux: DDP/local catastrophic error (01 00 03 00)",
                        // It does not look at the queue of a Read Request, and serves it.
                        "DDP/untagged buffer/invalid QN, Linux: nothing",
                        // It closes without a word.
                        "DDP/untagged buffer/message too long, Linux: nothing");
    }

    private static List<String> lines(String resource) throws IOException {
        try (InputStream in = CaptureReplayTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#") && !line.isEmpty())
                    .toList();
        }
    }
}
