// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import org.jspecify.annotations.Nullable;

/**
 * The connection that was the only one ready when the selector last found any. A loop that polls looks there first,
 * since a read of one socket costs less than asking for all of them, and the answer to a message just sent is what such
 * a loop mostly waits for. The selector is asked at the latest after {@link #MOST_LOOKS} looks and after {@link
 * #MOST_OCTETS}, so all other sockets have their turn.
 *
 * <p>Only a connection that {@linkplain SelectorHandler#mayLook may be looked at} is remembered: a stream, which stays
 * with its event channel until it ends.
 *
 * <p>Threading: that of the event channel.
 */
final class BusyConnection {

    static final int MOST_LOOKS = 8;
    private static final int MOST_OCTETS = 64 * 1024;

    private @Nullable SelectorHandler last;
    private int ready;
    private @Nullable SelectorHandler busy;
    private int looks;
    private long octets;
    private boolean found;

    /**
     * The selector has found a handler's socket ready, and the handler has dealt with it.
     *
     * @param handler {@code null} for a channel of the event loop's own, at which only the selector can look
     */
    void onReady(@Nullable SelectorHandler handler) {
        last = handler;
        ready++;
    }

    /** The selector was asked; what it has found is told. */
    void onSelected() {
        SelectorHandler only = ready == 1 ? last : null;
        if (ready > 0) {
            busy = only != null && only.mayLook() ? only : null;
        }
        last = null;
        ready = 0;
        looks = 0;
        octets = 0;
    }

    /** The loop is going to wait. */
    void forget() {
        busy = null;
    }

    /** Looks at the busy connection, if it is its turn; returns whether the selector need not be asked now. */
    boolean poll() {
        SelectorHandler present = busy;
        if (present == null || looks == MOST_LOOKS || octets >= MOST_OCTETS) {
            return false;
        }
        if (!present.mayLook()) {
            busy = null;
            return false;
        }
        looks++;
        int now = present.poll();
        found = now > 0;
        octets += now;
        return true;
    }

    /** Whether the last look has found something. */
    boolean hasFound() {
        return found;
    }
}
