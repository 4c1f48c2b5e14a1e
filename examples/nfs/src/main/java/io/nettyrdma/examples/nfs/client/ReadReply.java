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
