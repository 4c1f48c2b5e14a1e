// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import io.nettyrdma.examples.onesided.OneSided;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** RDMA Write and Read in one process, over a real socket on the loopback interface. */
@Command(
        name = "one-sided",
        mixinStandardHelpOptions = true,
        description = "Writes and reads memory of a server in the same process by RDMA Write and RDMA Read, and prints"
                + " every step. The last read fails, as it must.")
final class OneSidedCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "TEXT",
            defaultValue = "hello, memory",
            description = "text to write; more than 64 bytes are refused (default: ${DEFAULT-VALUE})")
    private String text;

    @Override
    public Integer call() throws Exception {
        // A device does not serve the loopback address.
        if (System.getProperty(Rdma.PROVIDER_PROPERTY) == null) {
            System.setProperty(Rdma.PROVIDER_PROPERTY, "soft");
        }
        Consumer<String> log = Lines.to(spec.commandLine().getOut());
        log.accept(Rdma.report());
        OneSided.run(text, log);
        return 0;
    }
}
