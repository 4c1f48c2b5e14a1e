// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.nfs.client.NfsLocation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies a file to an NFS server. */
@Command(
        name = "nfs-put",
        mixinStandardHelpOptions = true,
        description = {
            "Copies a file to an NFS version 3 server over RDMA.",
            "The copy gets its name when it is complete and on stable storage. A failure leaves nothing behind, or"
                    + " the error names the file that may remain."
        })
final class NfsPutCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "LOCAL", description = "the file to copy")
    private Path from;

    @Parameters(
            index = "1",
            paramLabel = "SERVER:/PATH",
            description = "the copy's name, or the directory for it if it ends with a slash")
    private String to;

    @Mixin
    private NfsOptions options;

    @Override
    public Integer call() throws Exception {
        if (!Files.isRegularFile(from)) {
            String what = Files.exists(from) ? "not a regular file: " : "no such file: ";
            throw new ParameterException(spec.commandLine(), what + from);
        }
        NfsLocation location =
                NfsCopy.location(spec.commandLine(), to, from.getFileName().toString());
        NfsCopy.run(spec.commandLine(), location, options, (session, listener) -> session.upload(from, listener));
        return 0;
    }
}
