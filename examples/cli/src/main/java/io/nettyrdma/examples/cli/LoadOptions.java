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
package io.nettyrdma.examples.cli;

import java.time.Duration;
import picocli.CommandLine.Option;

/** How much a client sends. */
final class LoadOptions {

    @Option(
            names = {"-c", "--count"},
            defaultValue = "1000",
            description = "requests to send (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int count;

    @Option(
            names = {"-f", "--in-flight"},
            defaultValue = "1",
            description = "unanswered requests at a time (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int inFlight;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "how long to wait for the connection and for each answer (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = 3600)
    private int timeoutSeconds;

    Duration timeout() {
        return Duration.ofSeconds(timeoutSeconds);
    }

    int count() {
        return count;
    }

    int inFlight() {
        return inFlight;
    }
}
