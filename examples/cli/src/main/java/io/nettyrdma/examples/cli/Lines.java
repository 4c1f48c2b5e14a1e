// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import java.io.PrintWriter;
import java.util.function.Consumer;

/** Whole lines on the terminal, whichever thread they come from. */
final class Lines {

    private Lines() {}

    static Consumer<String> to(PrintWriter out) {
        return line -> {
            synchronized (out) {
                out.println(line);
                out.flush();
            }
        };
    }
}
