// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.PeerText;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The launcher: one program, one subcommand per example. */
@Command(
        name = "examples/run",
        description = "Examples of Netty over RDMA. Without RDMA hardware they use iWARP over TCP, in pure Java.",
        synopsisSubcommandLabel = "NAME",
        commandListHeading = "%nExamples:%n",
        footer = "%nexamples/run NAME --help lists the options of an example.",
        subcommands = {
            DemoCommand.class,
            EchoServerCommand.class,
            EchoClientCommand.class,
            OneSidedCommand.class,
            DoctorCommand.class,
            HttpServerCommand.class,
            GatewayCommand.class,
            GrpcEchoCommand.class,
            NfsNullCommand.class,
            NfsServerCommand.class,
            RpcpingCommand.class,
            NfsGetCommand.class,
            NfsPutCommand.class
        })
public final class Examples extends Program {

    /** Exit code of a command that Ctrl-C has ended, as shells have it. */
    private static final int INTERRUPTED = 130;

    private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

    /** Runs the example named by the first argument; the exit code is 0 if it went well. */
    public static void main(String[] args) {
        if (List.of(args).contains("--quiet") || List.of(args).contains("-q")) {
            System.setProperty(LOG_LEVEL, "error"); // before there is a logger
        }
        PrintStream err = System.err;
        System.setErr(new PrintStream(new PeerLog(err::println).stream(), true));
        CommandLine line = commandLine();
        line.setErr(new PrintWriter(err, true));
        System.exit(line.execute(args));
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Examples());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler((mistake, arguments) -> {
            CommandLine command = mistake.getCommandLine();
            printError(command, describe(mistake));
            // The usage would be many lines, with the one that matters above or below them.
            command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'");
            return command.getCommandSpec().exitCodeOnInvalidInput();
        });
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            Throwable cause = cause(failure);
            printError(command, describe(cause));
            return isInterrupt(cause) ? INTERRUPTED : command.getCommandSpec().exitCodeOnExecutionException();
        });
        return line;
    }

    private static void printError(CommandLine command, String error) {
        // What looks like the markup of this library is not meant so.
        String text = PeerText.escape(error).replace("@|", "@ |");
        command.getErr().println(command.getColorScheme().errorText("error: " + text));
    }

    /** A failure without its wrapping. */
    private static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof ExecutionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static boolean isInterrupt(Throwable cause) {
        return cause instanceof InterruptedException || cause instanceof ClosedByInterruptException;
    }

    /** Picocli names the types of Java, and options by a sentence. */
    private static String describe(ParameterException mistake) {
        String text = String.valueOf(mistake.getMessage())
                .replaceFirst("^Invalid value for option '(.*?)': ", "$1: ")
                .replaceFirst("'(-?\\d+)' is not an int$", "'$1' is out of range")
                .replaceFirst("' is not an int$", "' is not a number")
                .replaceFirst("^Unmatched arguments? (at|from) index \\d+: ", "Unexpected argument: ");
        List<String> likely =
                mistake instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions() : List.of();
        return likely.isEmpty() ? text : text + "; did you mean " + String.join(" or ", likely) + "?";
    }

    /** A failure as a user wants to read it. */
    private static String describe(Throwable cause) {
        if (isInterrupt(cause)) {
            return "interrupted";
        }
        if (cause instanceof FileSystemException file && file.getReason() == null) { // whose message is a bare path
            return describe(file) + ": " + file.getFile();
        }
        return PeerText.reason(cause);
    }

    private static String describe(FileSystemException cause) {
        return cause instanceof NoSuchFileException
                ? "no such file or folder"
                : cause instanceof AccessDeniedException ? "no permission" : "cannot use";
    }

    @Override
    boolean usesRdma() {
        return false;
    }

    @Override
    void run() {
        throw wrong("name an example");
    }
}
