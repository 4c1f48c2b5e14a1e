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

import io.nettyrdma.rpc.RpcRdmaConfig;
import picocli.CommandLine.Option;

/** Which versions of RPC-over-RDMA may be spoken. */
final class RdmaVersionOption {

    /** What the option takes. */
    enum Versions {
        ONE("1", 1, 1),
        TWO("2", 2, 2),
        BOTH("1-2", 1, 2);

        private final String text;
        private final int lowest;
        private final int highest;

        Versions(String text, int lowest, int highest) {
            this.text = text;
            this.lowest = lowest;
            this.highest = highest;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    @Option(
            names = "--rdma-version",
            paramLabel = "VERSION",
            defaultValue = "1",
            converter = VersionsConverter.class,
            description = "version of RPC-over-RDMA: 1, 2 (the -01 wire format), or 1-2 to use the one that"
                    + " the other side speaks (default: ${DEFAULT-VALUE})")
    private Versions versions = Versions.ONE;

    int lowest() {
        return versions.lowest;
    }

    int highest() {
        return versions.highest;
    }

    void applyTo(RpcRdmaConfig.Builder config) {
        config.versions(lowest(), highest());
    }
}
