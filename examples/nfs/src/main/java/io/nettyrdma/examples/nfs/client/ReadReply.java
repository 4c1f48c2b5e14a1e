// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import org.jspecify.annotations.Nullable;

/**
 * What READ returned: {@link #content()} is the data.
 *
 * <p>Ownership: to be released by whoever gets it.
 */
public final class ReadReply extends DefaultByteBufHolder {

    private final boolean endOfFile;
    private final @Nullable FileAttributes attributes;

    private ReadReply(ByteBuf data, boolean endOfFile, @Nullable FileAttributes attributes) {
        super(data);
        this.endOfFile = endOfFile;
        this.attributes = attributes;
    }

    static ReadReply read(ByteBuf in, int maxBytes) {
        FileAttributes attributes = FileAttributes.readOptional(in);
        in.skipBytes(4); // the count, which the data begin with once more
        boolean endOfFile = Xdr.readBoolean(in);
        return new ReadReply(Xdr.readOpaque(in, maxBytes).retain(), endOfFile, attributes);
    }

    /** Whether the data end where the file does. */
    public boolean isEndOfFile() {
        return endOfFile;
    }

    /** The file's attributes after the READ, unless the server left them out. */
    public @Nullable FileAttributes attributes() {
        return attributes;
    }

    @Override
    public ReadReply replace(ByteBuf content) {
        return new ReadReply(content, endOfFile, attributes);
    }

    @Override
    public ReadReply retain() {
        super.retain();
        return this;
    }
}
