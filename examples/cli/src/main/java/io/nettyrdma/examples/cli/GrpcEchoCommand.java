// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** gRPC over a byte stream, in two subcommands. */
@Command(
        name = "grpc-echo",
        mixinStandardHelpOptions = true,
        description = "gRPC over a byte stream: a server that sends requests back, and a client that checks them and"
                + " reports latencies.",
        synopsisSubcommandLabel = "server|client",
        commandListHeading = "%nPrograms:%n",
        footer = "%nexamples/run grpc-echo server --help lists the options of the server.",
        subcommands = {GrpcEchoServerCommand.class, GrpcEchoClientCommand.class})
final class GrpcEchoCommand implements Callable<Integer> {

    /** The port that examples of gRPC use. */
    static final int DEFAULT_PORT = 50051;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "name a program: grpc-echo server or grpc-echo client");
    }
}
