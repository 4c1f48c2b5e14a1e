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
