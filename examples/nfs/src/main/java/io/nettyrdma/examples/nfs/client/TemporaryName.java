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
package io.nettyrdma.examples.nfs.client;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/** Names of files that are not complete yet. */
final class TemporaryName {

    /** What file systems allow. */
    private static final int MAX_NAME_BYTES = 255;

    private TemporaryName() {}

    /** A hidden name that tells where it belongs and that nobody else has. */
    static String of(String name) {
        String suffix = "." + Long.toHexString(ThreadLocalRandom.current().nextLong()) + ".part";
        String full = "." + name + suffix;
        return full.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES ? full : suffix;
    }
}
