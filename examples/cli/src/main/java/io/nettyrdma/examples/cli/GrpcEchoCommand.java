// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import picocli.CommandLine.Command;

/** gRPC over a byte stream, in two subcommands. */
@Command(
        name = "grpc-echo",
        description = "gRPC over a byte stream: a server that sends requests back, and a client that checks them and"
                + " reports latencies.",
        synopsisSubcommandLabel = "server|client",
        commandListHeading = "%nPrograms:%n",
        footer = "%nexamples/run grpc-echo server --help lists the options of the server.",
        subcommands = {GrpcEchoServerCommand.class, GrpcEchoClientCommand.class})
final class GrpcEchoCommand extends Program {

    /** The port that examples of gRPC use. */
    static final int DEFAULT_PORT = 50051;

    @Override
    boolean usesRdma() {
        return false;
    }

    @Override
    void run() {
        throw wrong("name a program: grpc-echo server or grpc-echo client");
    }
}
