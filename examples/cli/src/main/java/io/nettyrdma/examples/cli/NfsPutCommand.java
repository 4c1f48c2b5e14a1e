// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.nfs.client.CopyListener;
import io.nettyrdma.examples.nfs.client.NfsLocation;
import io.nettyrdma.examples.nfs.client.NfsSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Copies a file to an NFS server. */
@Command(
        name = "nfs-put",
        description = {
            "Copies a file to an NFS version 3 server over RDMA.",
            "The copy gets its name when it is complete and on stable storage. A failure leaves nothing behind, or"
                    + " the error names the file that may remain."
        })
final class NfsPutCommand extends NfsCopyProgram {

    @Parameters(index = "0", paramLabel = "LOCAL", description = "the file to copy")
    private Path from;

    @Parameters(
            index = "1",
            paramLabel = "SERVER:/PATH",
            description = "the copy's name, or the directory for it if it ends with a slash")
    private String to;

    @Override
    void run() throws Exception {
        if (!Files.isRegularFile(from)) {
            String what = Files.exists(from) ? "not a regular file: " : "no such file: ";
            throw wrong(what + from);
        }
        copy(location(to, from.getFileName().toString()));
    }

    @Override
    void copy(NfsSession session, NfsLocation location, CopyListener listener)
            throws IOException, InterruptedException {
        session.upload(from, listener);
    }
}
