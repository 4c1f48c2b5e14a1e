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
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Replays the calls and replies of a capture: at no time had the requester more calls unanswered than the last reply
 * granted, and none but the first before there was a reply (RFC 8166, section 3.3.1). Knows forward calls only, from the
 * side that sent the MPA request.
 *
 * <p>The capture has to be taken at the requester, where a reply that it acted upon stands before what it did.
 */
final class CreditCheck {
    /**
     * @param problems one sentence for each call that was sent without a credit
     * @param replyCount replies, each of which gave a credit back
     * @param mostOutstanding the most calls that were unanswered at a time
     * @param mostGranted the most credits that a reply granted
     */
    record Report(
            Path capture, List<String> problems, int callCount, int replyCount, int mostOutstanding, long mostGranted) {
        Report assertGood() {
            if (!problems.isEmpty()) {
                throw new AssertionError(problems.size() + " calls without a credit in " + capture + ":\n  "
                        + String.join("\n  ", problems.subList(0, Math.min(20, problems.size()))));
            }
            return this;
        }
    }

    /** What is known of one connection. */
    private static final class Connection {
        String initiatorPort = "";
        long granted = 1;
        int outstanding;
    }

    private final Map<String, Connection> connections = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private int callCount;
    private int replyCount;
    private int mostOutstanding;
    private long mostGranted;

    private CreditCheck() {}

    static Report of(Path capture) throws IOException {
        CreditCheck check = new CreditCheck();
        List<List<List<String>>> rows = new Tshark(capture, Payload.RPC_OVER_RDMA)
                .without("nfs")
                .fields(
                        "iwarp_mpa.req || rpcordma",
                        "frame.number",
                        "tcp.stream",
                        "tcp.srcport",
                        "iwarp_mpa.req",
                        "rpcordma.flow_control");
        for (List<List<String>> row : rows) {
            Connection connection =
                    check.connections.computeIfAbsent(String.join("", row.get(1)), stream -> new Connection());
            String sourcePort = String.join("", row.get(2));
            if (!row.get(3).isEmpty()) {
                connection.initiatorPort = sourcePort;
            }
            for (String credits : row.get(4)) {
                if (sourcePort.equals(connection.initiatorPort)) {
                    check.call(connection, "frame " + String.join("", row.get(0)));
                } else {
                    check.reply(connection, Long.parseLong(credits));
                }
            }
        }
        return new Report(
                capture,
                List.copyOf(check.problems),
                check.callCount,
                check.replyCount,
                check.mostOutstanding,
                check.mostGranted);
    }

    private void call(Connection connection, String where) {
        if (connection.outstanding >= connection.granted) {
            problems.add(where + ": call with " + connection.outstanding + " outstanding and " + connection.granted
                    + " granted");
        }
        callCount++;
        connection.outstanding++;
        mostOutstanding = Math.max(mostOutstanding, connection.outstanding);
    }

    private void reply(Connection connection, long credits) {
        replyCount++;
        connection.outstanding--;
        connection.granted = credits;
        mostGranted = Math.max(mostGranted, credits);
    }
}
