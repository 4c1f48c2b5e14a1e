// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.nfs.client.CopyListener;
import io.nettyrdma.examples.nfs.client.NfsLocation;
import io.nettyrdma.examples.nfs.client.NfsSession;
import io.nettyrdma.examples.nfs.client.NfsSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;

/** What copying in the two directions has in common: a session, a display and a clean end. */
final class NfsCopy {

    /** Copies one way or the other. */
    @FunctionalInterface
    interface Direction {
        void copy(NfsSession session, CopyListener listener) throws IOException, InterruptedException;
    }

    private NfsCopy() {}

    /** The location that a user has given. */
    static NfsLocation location(CommandLine line, String text, @Nullable String nameInDirectory) {
        try {
            return NfsLocation.parse(text, nameInDirectory);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(line, String.valueOf(e.getMessage()), e);
        }
    }

    private static int columns(CommandLine line) {
        line.setUsageHelpAutoWidth(true); // asks the terminal
        return line.getUsageHelpWidth();
    }

    static void run(CommandLine line, NfsLocation location, NfsOptions options, Direction direction)
            throws IOException, InterruptedException {
        NfsSettings settings = options.settings();
        int columns = Ansi.AUTO.enabled() ? columns(line) : 0;
        CopyProgress progress = new CopyProgress(location.name(), line.getErr(), columns, System::nanoTime);
        CleanEnd end = CleanEnd.ofThisThread();
        try (NfsSession session = NfsSession.open(location, settings)) {
            direction.copy(session, options.quiet() ? CopyListener.NONE : progress);
        } finally {
            progress.end();
            end.close();
        }
        if (!options.quiet()) {
            line.getErr().println(progress.summary()); // the file itself may go to the standard output
            line.getErr().flush();
        }
    }
}
