// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.doctor.Doctor;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Examines the machine; the report is to be sent. */
@Command(
        name = "doctor",
        description = "Lists what this machine has for RDMA and what each provider needs, with the command that mends"
                + " it. Then proves each device, the software provider and TCP by connections to itself, and says"
                + " \"works\", \"works, but ...\" or \"fails because ...\".",
        exitCodeOnExecutionException = 2,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:works",
            "1:works, but ...",
            "2:fails because ..., or the command line is wrong",
            "130:Ctrl-C ended it"
        })
final class DoctorCommand extends Program {

    @Option(
            names = "--report",
            paramLabel = "FILE",
            defaultValue = "rdma-doctor.txt",
            description = "write the report here, to send it (default: ${DEFAULT-VALUE}). It has no names"
                    + " and addresses of this machine")
    private Path report;

    @Option(
            names = "--seconds",
            defaultValue = "30",
            description = "time for all proofs together (default: ${DEFAULT-VALUE}); more for slow machines")
    @InRange(from = 10, to = 3600)
    private int seconds;

    private int code;

    /** What keeps a provider from its work is in the report. */
    @Override
    boolean usesRdma() {
        return false;
    }

    @Override
    void run() throws Exception {
        code = Doctor.run(this::print, report, seconds);
    }

    @Override
    int exitCode() {
        return code;
    }
}
