// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends several things, each of them although others fail. */
final class Ends {

    private Ends() {}

    /** The same as {@link #all(List)}. */
    static void all(Closeable... ends) throws IOException {
        all(List.of(ends));
    }

    /**
     * In their order.
     *
     * @throws IOException the first failure, with the others as suppressed ones; the same for unchecked ones
     */
    static void all(List<? extends Closeable> ends) throws IOException {
        @Nullable Exception failure = null;
        for (Closeable each : ends) {
            try {
                each.close();
            } catch (IOException | RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure instanceof IOException checked) {
            throw checked;
        }
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
    }
}
