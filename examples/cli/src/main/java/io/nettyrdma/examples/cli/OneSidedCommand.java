// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import io.nettyrdma.examples.onesided.OneSided;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** RDMA Write and Read in one process, over a real socket on the loopback interface. */
@Command(
        name = "one-sided",
        description = "Writes and reads memory of a server in the same process by RDMA Write and RDMA Read, and prints"
                + " every step. The last read fails, as it must.")
final class OneSidedCommand extends Program {

    @Parameters(
            arity = "0..1",
            paramLabel = "TEXT",
            defaultValue = "hello, memory",
            description = "text to write; more than 64 bytes are refused (default: ${DEFAULT-VALUE})")
    private String text;

    @Override
    void run() throws Exception {
        if (text.isEmpty()) {
            throw wrong("TEXT is empty: nothing would be read");
        }
        preferSoftware();
        print(Rdma.report());
        OneSided.run(text, this::print);
    }
}
