// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.nettyrdma.examples.nfs.protocol.FileAttributes;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.rpc.message.XdrOpaque;

/**
 * What READ returned: {@link #content()} is the data.
 *
 * <p>Ownership: to be released by whoever gets it.
 */
public final class ReadReply extends DefaultByteBufHolder {

    private final boolean endOfFile;

    private ReadReply(ByteBuf data, boolean endOfFile) {
        super(data);
        this.endOfFile = endOfFile;
    }

    static ReadReply read(ByteBuf in, int maxBytes) {
        FileAttributes.readOptional(in);
        in.skipBytes(4); // the count, which the data begin with once more
        boolean endOfFile = Xdr.readBoolean(in);
        return new ReadReply(XdrOpaque.read(in, maxBytes).retain(), endOfFile);
    }

    /** Whether the data end where the file does. */
    public boolean isEndOfFile() {
        return endOfFile;
    }
}
