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
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;

/** What a server calls a file or directory: up to 64 octets without meaning to a client (RFC 1813, section 2.3.3). */
public final class FileHandle {

    /** Longest handle. */
    public static final int MAX_BYTES = 64;

    private final byte[] octets;

    private FileHandle(byte[] octets) {
        this.octets = octets;
    }

    /** Reads a handle. */
    public static FileHandle read(ByteBuf in) {
        return new FileHandle(ByteBufUtil.getBytes(Xdr.readOpaque(in, MAX_BYTES)));
    }

    /** Writes the handle. */
    public void write(ByteBuf out) {
        Xdr.writeOpaque(out, octets);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle handle && Arrays.equals(octets, handle.octets);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(octets);
    }

    @Override
    public String toString() {
        return ByteBufUtil.hexDump(octets);
    }
}
