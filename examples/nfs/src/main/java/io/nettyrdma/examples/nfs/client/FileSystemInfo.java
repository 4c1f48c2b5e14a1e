// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;

/**
 * What FSINFO tells of a file system (RFC 1813, section 3.3.19).
 *
 * @param maxReadBytes   longest READ
 * @param maxWriteBytes  longest WRITE
 * @param directoryBytes preferred length of a READDIRPLUS reply
 * @param maxFileBytes   longest file
 */
public record FileSystemInfo(long maxReadBytes, long maxWriteBytes, long directoryBytes, long maxFileBytes) {

    static FileSystemInfo read(ByteBuf in) {
        FileAttributes.readOptional(in);
        long maxReadBytes = in.readUnsignedInt();
        in.skipBytes(4 + 4); // preferred, multiple
        long maxWriteBytes = in.readUnsignedInt();
        in.skipBytes(4 + 4);
        return new FileSystemInfo(maxReadBytes, maxWriteBytes, in.readUnsignedInt(), in.readLong());
    }
}
