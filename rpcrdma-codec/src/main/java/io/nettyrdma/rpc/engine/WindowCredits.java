// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.internal.Ranges;

/**
 * The credits of a requester, by the rule of version 1: limits, not increments (RFC 8166, section 3.3). {@code window}
 * is min(requested, most recently granted), 1 until the first valid answer. A call takes a credit when it is sent and
 * gives it back when it is answered. One that is given up after it was sent keeps its credit, since the responder may
 * still be at work on it.
 *
 * <p>Threading: confined to one thread.
 */
public final class WindowCredits extends CountedCalls {

    private final int requested;
    private int window = 1; // V1-023
    private boolean open;

    /**
     * @param requested number of receives posted for replies, at least 1
     * @param open      whether calls may be sent already, as the version is known
     * @throws IllegalArgumentException if it is less
     */
    public WindowCredits(int requested, boolean open) {
        this.open = open;
        this.requested = Ranges.require("credits requested", requested, 1, Integer.MAX_VALUE);
    }

    /** Lets calls be sent. */
    public void open() {
        open = true;
    }

    @Override
    public int requested() {
        return requested;
    }

    @Override
    public int window() {
        return window;
    }

    @Override
    public boolean mayCall() {
        return open && inFlight() < window; // V1-012, V1-014, V1-016, V1-137
    }

    @Override
    public void onGranted(long granted) {
        window = (int) Math.max(1, Math.min(granted, requested)); // V1-015, V1-016, V1-024
    }
}
