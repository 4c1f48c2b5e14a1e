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

import java.io.IOException;

/** A channel needs more resources of an event loop or a device than are left. The message names the limit. */
public final class RdmaResourceLimitException extends IOException {

    private static final long serialVersionUID = 1;

    private final int needed;
    private final int available;

    RdmaResourceLimitException(String message, int needed, int available) {
        super(message);
        this.needed = needed;
        this.available = available;
    }

    /** Returns what the channel needs, in requests or completions; the message says which. */
    public int needed() {
        return needed;
    }

    /** Returns how many of them the device or the event loop has left. */
    public int available() {
        return available;
    }
}
