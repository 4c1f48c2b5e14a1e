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
import java.time.Duration;

/**
 * Posted requests made no progress for {@link RdmaChannelConfig#getProgressTimeoutMillis()}: the peer does not read,
 * does not answer RDMA Reads, or is gone. The connection ends, and pending requests fail with this exception.
 */
public final class RdmaProgressTimeoutException extends IOException {

    private static final long serialVersionUID = 1;

    private final Duration timeout;

    RdmaProgressTimeoutException(String message, Duration timeout) {
        super(message);
        this.timeout = timeout;
    }

    /** Returns the time in which no byte moved. */
    public Duration timeout() {
        return timeout;
    }
}
