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

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The launcher: one program, one subcommand per example. */
@Command(
        name = "examples/run",
        description = "Examples of Netty over RDMA. Without RDMA hardware they use iWARP over TCP, in pure Java.",
        mixinStandardHelpOptions = true,
        version = "netty-rdma examples 0.1.0",
        synopsisSubcommandLabel = "NAME",
        commandListHeading = "%nExamples:%n",
        footer = "%nexamples/run NAME --help tells the options of one.",
        subcommands = {
            DemoCommand.class,
            EchoServerCommand.class,
            EchoClientCommand.class,
            NfsNullCommand.class,
            NfsServerCommand.class,
            RpcpingCommand.class,
            NfsGetCommand.class,
            NfsPutCommand.class
        })
public final class Examples implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    private Examples() {}

    /** Runs the example named by the first argument; the exit code is 0 if it went well. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Examples());
        line.setExecutionStrategy(new RangeCheck());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println(command.getColorScheme().errorText("error: " + describe(failure)));
            return 1;
        });
        return line;
    }

    /** A failure as a user wants to read it: what happened, without the wrapping. */
    private static String describe(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof ExecutionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "which example?");
    }
}
