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
package io.nettyrdma.examples;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How much a client sends. */
final class LoadOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    private int count;
    private int inFlight;

    @Option(
            names = {"-c", "--count"},
            defaultValue = "1000",
            description = "requests to send (default: ${DEFAULT-VALUE})")
    void count(int value) {
        count = positive("--count", value);
    }

    @Option(
            names = {"-f", "--in-flight"},
            defaultValue = "1",
            description = "unanswered requests at a time (default: ${DEFAULT-VALUE})")
    void inFlight(int value) {
        inFlight = positive("--in-flight", value);
    }

    private int positive(String option, int value) {
        if (value <= 0) {
            throw new ParameterException(spec.commandLine(), option + " has to be positive, not " + value);
        }
        return value;
    }

    int count() {
        return count;
    }

    int inFlight() {
        return inFlight;
    }
}
