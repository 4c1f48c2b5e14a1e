/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
