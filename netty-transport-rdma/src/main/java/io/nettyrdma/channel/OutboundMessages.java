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

import io.netty.buffer.ByteBuf;

/** Which messages an {@link RdmaChannel} can post, so that all others fail alone and before anything is posted. */
final class OutboundMessages {

    private OutboundMessages() {}

    /**
     * Throws what the write of {@code message} is to fail with.
     *
     * @throws RdmaMessageTooLongException   if the peer could not receive it
     * @throws RdmaUnsupportedException      if the provider has no such request
     * @throws UnsupportedOperationException if it is of another type
     */
    static void check(Object message, RdmaChannelConfig config, VerbsConnection connection) {
        if (message instanceof ByteBuf buffer) {
            checkLength(buffer, config);
        } else if (message instanceof RdmaSend send) {
            checkLength(send.content(), config);
            if (send.invalidateKey() != 0 && !connection.verbs().capabilities().sendInvalidate()) {
                throw new RdmaUnsupportedException(
                        "the verbs provider has no Send with Invalidate; send without and let"
                                + " the peer invalidate its key itself");
            }
        } else if (!(message instanceof RdmaWrite || message instanceof RdmaRead)) {
            throw new UnsupportedOperationException("an RDMA channel cannot write "
                    + message.getClass().getName() + " (expected: ByteBuf, RdmaSend, RdmaWrite or RdmaRead)");
        }
    }

    private static void checkLength(ByteBuf content, RdmaChannelConfig config) {
        int max = config.getMaxSendSize();
        if (content.readableBytes() > max) {
            throw new RdmaMessageTooLongException(content.readableBytes(), max);
        }
    }
}
