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

import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.MessageSizeEstimator;

/** Counts an {@link RdmaRead} with the bytes it reads; everything else as Netty does. */
final class RdmaMessageSizeEstimator implements MessageSizeEstimator, MessageSizeEstimator.Handle {

    static final RdmaMessageSizeEstimator INSTANCE = new RdmaMessageSizeEstimator();

    private static final Handle DEFAULT = DefaultMessageSizeEstimator.DEFAULT.newHandle();

    private RdmaMessageSizeEstimator() {}

    @Override
    public Handle newHandle() {
        return this;
    }

    @Override
    public int size(Object message) {
        return message instanceof RdmaRead read ? read.source().lengthBytes() : DEFAULT.size(message);
    }
}
