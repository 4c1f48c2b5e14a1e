// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import java.util.function.Consumer;

/** Where a server says what its peers cause, and what is wrong with itself. */
public interface ServerLog extends Consumer<String> {

    /** Says what a peer causes. */
    @Override
    void accept(String line);

    /** Says that something is wrong on this side, whoever brought it about. */
    default void fault(String line) {
        accept(line);
    }
}
