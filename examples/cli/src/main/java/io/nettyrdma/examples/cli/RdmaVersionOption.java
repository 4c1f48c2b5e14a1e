// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
