// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;

/**
 * Outbound message: an RDMA Write of the readable bytes of a buffer into the peer's memory. The peer gets no notice. A
 * Send written after it is delivered after the data is in place (RFC 5040, section 5.5).
 */
public final class RdmaWrite extends DefaultByteBufHolder {

    private final RemoteSegment target;

    /**
     * @param content the bytes to write; ownership passes to the message
     * @param target  the memory to write to; only as many bytes as {@code content} holds are written
     * @throws IllegalArgumentException if the content is longer than the target
     */
    public RdmaWrite(ByteBuf content, RemoteSegment target) {
        super(content);
        if (content.readableBytes() > target.lengthBytes()) {
            throw new IllegalArgumentException(content.readableBytes() + " bytes do not fit into a segment of "
                    + target.lengthBytes() + "; write less");
        }
        this.target = target;
    }

    /** Returns the peer's memory. */
    public RemoteSegment target() {
        return target;
    }

    @Override
    public RdmaWrite replace(ByteBuf content) {
        return new RdmaWrite(content, target);
    }

    @Override
    public RdmaWrite retain() {
        super.retain();
        return this;
    }
}
