// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;

/**
 * Outbound message: an RDMA Read of the peer's memory into the writable bytes of a local buffer. When the write's
 * promise succeeds, the data has arrived and the buffer's writer index has moved behind it. Writes that follow a Read
 * in the same channel complete after it.
 *
 * <p>The writer index at the time of the flush fixes the place of the data. Reads in flight together therefore need
 * separate targets, such as slices of one buffer.
 *
 * <p>The target is best {@link RdmaMemory}. The channel registers any other direct buffer of one component during the
 * operation.
 */
public final class RdmaRead extends DefaultByteBufHolder {

    private final RemoteSegment source;

    /**
     * @param source the memory to read, as a whole
     * @param target the buffer for the data; ownership passes to the message, so retain it to use it afterwards
     * @throws IllegalArgumentException if the target has too few writable bytes or is not one direct buffer
     */
    public RdmaRead(RemoteSegment source, ByteBuf target) {
        super(target);
        if (target.writableBytes() < source.lengthBytes()) {
            throw new IllegalArgumentException("a segment of " + source.lengthBytes() + " bytes does not fit into "
                    + target.writableBytes() + " writable bytes; use a larger target");
        }
        if (!target.isDirect() || target.nioBufferCount() != 1) {
            throw new IllegalArgumentException("target: " + target + " (expected: one direct buffer)");
        }
        this.source = source;
    }

    /** Returns the peer's memory. */
    public RemoteSegment source() {
        return source;
    }

    @Override
    public RdmaRead replace(ByteBuf content) {
        return new RdmaRead(source, content);
    }

    @Override
    public RdmaRead retain() {
        super.retain();
        return this;
    }
}
