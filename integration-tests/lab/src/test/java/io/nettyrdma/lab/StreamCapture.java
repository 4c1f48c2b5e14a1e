// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.lab.Tshark.Payload;
import io.nettyrdma.stream.CapturedStream;
import io.nettyrdma.verbs.soft.captures.CapturedConnection;
import io.nettyrdma.verbs.soft.captures.TcpCapture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A capture whose connections are byte streams, judged by tshark and by the rules of {@link CapturedStream}. */
final class StreamCapture {

    private StreamCapture() {}

    /** Judges a capture, and returns its connections. */
    static List<CapturedStream> judge(Path file) throws Exception {
        CaptureCheck.of(file, Payload.OPAQUE).assertGood();
        List<CapturedStream> streams = new ArrayList<>();
        for (CapturedConnection connection : TcpCapture.connections(file)) {
            streams.add(CapturedStream.of(connection));
        }
        return streams;
    }
}
