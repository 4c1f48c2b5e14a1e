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

    private final long needed;
    private final long available;

    RdmaResourceLimitException(String message, long needed, long available) {
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
