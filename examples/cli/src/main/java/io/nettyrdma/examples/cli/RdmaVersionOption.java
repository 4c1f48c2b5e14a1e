// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.rpc.RpcRdmaConfig;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Which versions of RPC-over-RDMA may be spoken. */
final class RdmaVersionOption {

    private record Versions(int lowest, int highest) {}

    private static final class Converter implements ITypeConverter<Versions> {
        @Override
        public Versions convert(String text) {
            if (!text.matches("1|2|1-2")) {
                throw new TypeConversionException("'" + text + "' is none of 1, 2 and 1-2");
            }
            return new Versions(text.charAt(0) - '0', text.charAt(text.length() - 1) - '0');
        }
    }

    @Option(
            names = "--rdma-version",
            paramLabel = "VERSION",
            defaultValue = "1",
            converter = Converter.class,
            description = "version of RPC-over-RDMA: 1, 2 (the -01 wire format), or 1-2 to use the one that"
                    + " the other side speaks (default: ${DEFAULT-VALUE})")
    private Versions versions;

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
