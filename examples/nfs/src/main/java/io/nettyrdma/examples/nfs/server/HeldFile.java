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
