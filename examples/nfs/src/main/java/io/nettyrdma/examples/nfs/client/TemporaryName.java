// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
