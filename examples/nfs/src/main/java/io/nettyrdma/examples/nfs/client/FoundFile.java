// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import org.jspecify.annotations.Nullable;

/**
 * A file or directory that LOOKUP found or CREATE made.
 *
 * @param handle     its handle
 * @param attributes its attributes, unless the server left them out
 */
public record FoundFile(FileHandle handle, @Nullable FileAttributes attributes) {

    static FoundFile read(ByteBuf in) {
        return new FoundFile(FileHandle.read(in), FileAttributes.readOptional(in));
    }
}
