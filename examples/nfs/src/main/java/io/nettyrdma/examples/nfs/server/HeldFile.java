// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A file or directory this process has open, with the path under which {@code /proc} leads to the open object itself:
 * it stays the same object whatever becomes of the names that led to it. A path that begins with the one of a directory
 * is therefore what {@code openat} and its relatives of the C library take.
 *
 * <p>Threading: any thread, none of which may be interrupted, since that closes a channel in use and its number may
 * then come to mean another file. Ownership: owns the channel.
 *
 * @param mountId the mount the object was reached by; renaming and linking work within one only
 */
record HeldFile(FileChannel channel, int number, int mountId, Path path, Descriptors descriptors) implements Closeable {

    @Override
    public void close() throws IOException {
        channel.close();
        descriptors.onReleased(number);
    }
}
