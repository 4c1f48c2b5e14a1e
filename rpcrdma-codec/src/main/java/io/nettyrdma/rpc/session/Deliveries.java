// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.channel.Channel;

/**
 * Whether the program gets something for its {@code read()}. Without auto-read, a handler that has kept all messages
 * of a batch for itself, answered or dropped them must read again, or the connection stands still.
 *
 * <p>Threading: confined to the executor of the handlers.
 */
public final class Deliveries {

    /** Whether messages have come since the last {@link #readAgain}. */
    private boolean inBatch;

    private boolean handedOn;

    /** A message has come. */
    public void onReceived() {
        inBatch = true;
    }

    /** The message at hand is the program's, now or when it is whole. */
    public void onHandedOn() {
        handedOn = inBatch;
    }

    /** A message that was handed on is dropped. Returns whether to read again now, as no end of a batch follows. */
    public boolean readAgainForDropped(Channel channel) {
        handedOn = false;
        return !inBatch && !channel.config().isAutoRead();
    }

    /** The batch ends; returns whether to read again. */
    public boolean readAgain(Channel channel) {
        boolean keptAll = inBatch && !handedOn;
        inBatch = false;
        handedOn = false;
        return keptAll && !channel.config().isAutoRead();
    }
}
