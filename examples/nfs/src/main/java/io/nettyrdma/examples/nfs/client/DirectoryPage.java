// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.FileHandle;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a directory, as READDIRPLUS returns it (RFC 1813, section 3.3.17). The next part begins behind the cookie of
 * the last entry.
 *
 * @param cookieVerifier to be sent with the cookie
 * @param entries        in no particular order
 * @param isLast         whether there is no next part
 */
public record DirectoryPage(long cookieVerifier, List<Entry> entries, boolean isLast) {

    private static final int MAX_NAME_BYTES = 4096;

    /**
     * One name.
     *
     * @param fileId     number of the file in its file system
     * @param name       name in the directory
     * @param cookie     where a next call goes on behind this entry
     * @param attributes of the file, unless the server left them out
     * @param handle     of the file, unless the server left it out
     */
    public record Entry(
            long fileId, String name, long cookie, @Nullable FileAttributes attributes, @Nullable FileHandle handle) {}

    static DirectoryPage read(ByteBuf in) {
        FileAttributes.readOptional(in);
        long cookieVerifier = in.readLong();
        List<Entry> entries = new ArrayList<>();
        while (Xdr.readBoolean(in)) {
            entries.add(new Entry(
                    in.readLong(),
                    Xdr.readString(in, MAX_NAME_BYTES),
                    in.readLong(),
                    FileAttributes.readOptional(in),
                    Xdr.readBoolean(in) ? FileHandle.read(in) : null));
        }
        return new DirectoryPage(cookieVerifier, List.copyOf(entries), Xdr.readBoolean(in));
    }
}
