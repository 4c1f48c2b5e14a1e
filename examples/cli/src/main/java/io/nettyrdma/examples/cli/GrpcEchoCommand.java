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
