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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;

/**
 * Outbound message: one RDMA Send, where a plain {@link ByteBuf} does not say enough. It can be empty (an empty
 * {@code ByteBuf} is a barrier and sends nothing), invalidate one of the peer's keys, or raise a solicited event.
 */
public final class RdmaSend extends DefaultByteBufHolder {

    private final int invalidateKey;
    private final boolean solicited;

    private RdmaSend(ByteBuf content, int invalidateKey, boolean solicited) {
        super(content);
        this.invalidateKey = invalidateKey;
        this.solicited = solicited;
    }

    /** A Send of {@code content}, which may be empty. */
    public static RdmaSend of(ByteBuf content) {
        return new RdmaSend(content, 0, false);
    }

    /** A Send that wakes a peer which waits for solicited completions only. */
    public static RdmaSend solicited(ByteBuf content) {
        return new RdmaSend(content, 0, true);
    }

    /**
     * A Send with Invalidate: when the peer receives it, {@code key} no longer reaches the peer's memory.
     *
     * <p>Fails with {@link RdmaUnsupportedException} when written to a channel whose provider cannot do it.
     *
     * @param key a key that the peer advertised, never 0
     */
    public static RdmaSend invalidating(ByteBuf content, int key) {
        if (key == 0) {
            throw new IllegalArgumentException("0 is not a key");
        }
        return new RdmaSend(content, key, false);
    }

    /** The peer's key that this Send invalidates, or 0. */
    public int invalidateKey() {
        return invalidateKey;
    }

    /** Whether the Send raises a solicited event. */
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
