// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.channel.ChannelHandlerContext;

/**
 * Bounds how many RDMA Reads or Writes the channel has at a time: a segment can be as short as an octet, but each costs
 * as much heap as any other.
 *
 * <p>Threading: confined to the executor of the handler.
 */
final class TransferWindow {

    /** Where the transfers come from. */
    interface Source {

        /** Hands the next one to the channel; returns whether there was one. */
        boolean handNext(ChannelHandlerContext ctx);
    }

    private final int limit;
    private final Source source;
    private int inFlight;
    private boolean filling;

    TransferWindow(int limit, Source source) {
        this.limit = limit;
        this.source = source;
    }

    int inFlight() {
        return inFlight;
    }

    /** A transfer was handed to the channel. */
    void onBegun() {
        inFlight++;
    }

    /** A transfer has completed or failed. */
    void onEnded() {
        inFlight--;
    }

    /** Whether it is time to fill it again: half a window at a time, as each flush costs a system call. */
    boolean isHalfEmpty() {
        return inFlight <= limit / 2;
    }

    /** Fills the window; returns whether there is something to flush. */
    boolean fill(ChannelHandlerContext ctx) {
        if (filling) {
            return false; // a transfer that ended while it was handed over; the loop below goes on
        }
        filling = true;
        boolean any = false;
        try {
            while (inFlight < limit && source.handNext(ctx)) {
                any = true;
            }
        } finally {
            filling = false;
        }
        return any;
    }
}
