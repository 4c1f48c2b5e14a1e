/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
