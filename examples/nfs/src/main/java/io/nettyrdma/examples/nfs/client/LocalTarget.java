// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Where a copy goes: the place of a regular file, or one where nothing is. Anything else is not replaced. */
final class LocalTarget {

    private LocalTarget() {}

    /**
     * The name to give the copy: that of the file itself where a symbolic link leads to one.
     *
     * @throws IOException if there is something that is no regular file
     */
    static Path resolve(Path target) throws IOException {
        if (!Files.isSymbolicLink(target)) {
            requireReplaceable(target);
            return target;
        }
        try {
            Path real = target.toRealPath();
            requireReplaceable(real);
            return real;
        } catch (NoSuchFileException e) {
            throw new IOException(target + " is a dangling symbolic link, not a regular file", e);
        }
    }

    static void requireReplaceable(Path target) throws IOException {
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)
                && !Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(target + " is not a regular file, so it is not replaced");
        }
    }
}
