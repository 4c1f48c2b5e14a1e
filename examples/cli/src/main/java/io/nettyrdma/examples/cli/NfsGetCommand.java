// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.nfs.client.CopyListener;
import io.nettyrdma.examples.nfs.client.NfsLocation;
import io.nettyrdma.examples.nfs.client.NfsSession;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Copies a file from an NFS server. */
@Command(
        name = "nfs-get",
        description = {
            "Copies a file from an NFS version 3 server over RDMA.",
            "The copy gets its name when it is complete. A failure leaves nothing behind. A new file has the"
                    + " permissions of the one at the server, but for the umask.",
            "To the standard output, and to what exists and is no regular file, such as a pipe, the file is written in"
                    + " order."
        })
final class NfsGetCommand extends NfsCopyProgram {

    private static final Set<String> STANDARD_OUTPUT = Set.of("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1");

    @Parameters(index = "0", paramLabel = "SERVER:/PATH", description = "the file to copy")
    private String from;

    @Parameters(
            index = "1",
            paramLabel = "LOCAL",
            description = "the copy's name, the directory for it, or - for the standard output")
    private String to;

    @Override
    void run() throws Exception {
        copy(location(from, null));
    }

    @Override
    void copy(NfsSession session, NfsLocation location, CopyListener listener)
            throws IOException, InterruptedException {
        Path local = Path.of(to);
        if (STANDARD_OUTPUT.contains(to)) {
            // Not to be closed, nor opened by its name: in a file, that would begin at the first byte once more.
            session.download(new FileOutputStream(FileDescriptor.out).getChannel(), listener);
        } else if (Files.isDirectory(local)) {
            session.download(local.resolve(location.name()), listener);
        } else if (to.endsWith("/")) {
            throw new IOException("no such folder: " + to + "; make it first");
        } else {
            session.download(local, listener);
        }
    }
}
