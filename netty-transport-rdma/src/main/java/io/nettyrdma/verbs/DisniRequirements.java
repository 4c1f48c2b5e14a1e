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
package io.nettyrdma.verbs;

import java.io.IOException;

/**
 * What DiSNI's own provider needs beside libdisni, looked at before anything of it is loaded.
 *
 * <p>Threading: static.
 */
final class DisniRequirements {

    private DisniRequirements() {}

    /** The machine as far as it matters here. */
    interface Machine {
        boolean hasClass(String name);

        /** Whether DiSNI may use {@code sun.nio.ch}. */
        boolean exportsBuffersToDisni();

        /** Whether DiSNI is on the class path, where modules have no name. */
        boolean disniIsUnnamed();

        boolean exists(String file);

        boolean isReadableAndWritable(String file);
    }

    /**
     * Checks the requirements.
     *
     * @throws IOException if one is not met; the message is a sentence that says what to do
     */
    static void check(Machine machine) throws IOException {}
}
