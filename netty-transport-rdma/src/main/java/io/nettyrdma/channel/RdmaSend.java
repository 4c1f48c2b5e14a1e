// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.nettyrdma.error.RdmaUnsupportedException;

/**
 * Outbound message: one RDMA Send with more options than a plain {@link ByteBuf}. It can be empty (an empty {@code
 * ByteBuf} is a barrier and sends nothing), invalidate one of the peer's keys, or raise a solicited event.
 */
public final class RdmaSend extends DefaultByteBufHolder {

    private final int invalidateKey;
    private final boolean solicited;

    private RdmaSend(ByteBuf content, int invalidateKey, boolean solicited) {
        super(content);
        this.invalidateKey = invalidateKey;
        this.solicited = solicited;
    }

    /** Returns a Send of {@code content}, which may be empty. */
    public static RdmaSend of(ByteBuf content) {
        return new RdmaSend(content, 0, false);
    }

    /** Returns a Send that wakes a peer that waits for solicited completions only. */
    public static RdmaSend solicited(ByteBuf content) {
        return new RdmaSend(content, 0, true);
    }

    /**
     * Returns a Send with Invalidate: when the peer receives it, {@code key} no longer reaches the peer's memory.
     *
     * <p>Fails with {@link RdmaUnsupportedException} when written to a channel whose provider does not support it.
     *
     * @param key a key that the peer advertised, never 0
     */
    public static RdmaSend invalidating(ByteBuf content, int key) {
        if (key == 0) {
            throw new IllegalArgumentException("key: 0 (expected: a key that the peer advertised)");
        }
        return new RdmaSend(content, key, false);
    }

    /** Returns the peer's key that this Send invalidates, or 0. */
    public int invalidateKey() {
        return invalidateKey;
    }

    /** Returns whether the Send raises a solicited event. */
    public boolean isSolicited() {
        return solicited;
    }

    @Override
    public RdmaSend replace(ByteBuf content) {
        return new RdmaSend(content, invalidateKey, solicited);
    }

    @Override
    public RdmaSend retain() {
        super.retain();
        return this;
    }
}
