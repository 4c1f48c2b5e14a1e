// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import java.io.IOException;

/** A channel needs more resources of an event loop or a device than are left. The message names the limit. */
public final class RdmaResourceLimitException extends IOException {

    private static final long serialVersionUID = 1;

    private final long needed;
    private final long available;

    public RdmaResourceLimitException(String message, long needed, long available) {
        super(message);
        this.needed = needed;
        this.available = available;
    }

    /** Returns what the channel needs, in requests, completions or bytes; the message says which. */
    public long needed() {
        return needed;
    }

    /** Returns how many of them the device, the event loop or the JVM has left. */
    public long available() {
        return available;
    }
}
