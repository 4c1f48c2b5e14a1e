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

/**
 * A written message is longer than {@link RdmaChannelOption#RDMA_MAX_SEND_SIZE}, which stands for what the peer can
 * receive. Nothing was sent and the channel stays usable.
 */
public final class RdmaMessageTooLongException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    RdmaMessageTooLongException(int lengthBytes, int maxBytes) {
        super("message of " + lengthBytes + " octets exceeds RDMA_MAX_SEND_SIZE=" + maxBytes
                + "; raise it together with the peer's receive size, or transfer the data by RDMA Read or Write");
    }
}
