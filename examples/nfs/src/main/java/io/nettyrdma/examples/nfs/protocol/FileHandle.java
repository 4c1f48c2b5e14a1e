// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.nettyrdma.rpc.message.XdrOpaque;
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
        return new FileHandle(ByteBufUtil.getBytes(XdrOpaque.read(in, MAX_BYTES)));
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
