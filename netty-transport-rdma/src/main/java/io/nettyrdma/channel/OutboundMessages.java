// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import com.ibm.disni.verbs.IbvSendWR;
import io.netty.buffer.ByteBuf;
import io.nettyrdma.engine.SendQueue;
import io.nettyrdma.engine.VerbsConnection;
import io.nettyrdma.error.RdmaMessageTooLongException;
import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;

/**
 * Checks messages and converts each to its request. An unsupported message fails alone and before anything is posted.
 */
final class OutboundMessages {

    private OutboundMessages() {}

    /**
     * Throws the exception that the write of {@code message} must fail with, if any.
     *
     * @throws RdmaMessageTooLongException   if the peer could not receive it
     * @throws RdmaUnsupportedException      if the provider does not support it
     * @throws UnsupportedOperationException if it is of another type
     */
    static void check(Object message, RdmaChannelConfig config, VerbsConnection connection) {
        if (message instanceof ByteBuf buffer) {
            checkLength(buffer, config);
        } else if (message instanceof RdmaSend send) {
            checkLength(send.content(), config);
            if (send.invalidateKey() != 0 && !connection.capabilities().sendInvalidate()) {
                throw new RdmaUnsupportedException(
                        "the device does not support Send with Invalidate; use RdmaSend.of and let"
                                + " the peer invalidate its key");
            }
        } else if (!(message instanceof RdmaWrite || message instanceof RdmaRead)) {
            throw new UnsupportedOperationException("an RDMA channel cannot write "
                    + message.getClass().getName() + " (expected: ByteBuf, RdmaSend, RdmaWrite or RdmaRead); use"
                    + " RdmaSocketChannel for byte-stream protocols such as HTTP");
        }
    }

    /**
     * Adds the request for {@code message}, which was {@linkplain #check checked}, to a batch. The message is its tag.
     *
     * @throws IOException if memory could not be registered; nothing was added
     */
    static void add(Object message, SendQueue sends, WorkRequestBatch batch) throws IOException {
        if (message instanceof ByteBuf buffer) {
            sends.addSend(message, buffer, 0, batch);
        } else if (message instanceof RdmaWrite write) {
            ByteBuf content = write.content();
            RemoteSegment target = write.target();
            sends.addWrite(
                    message,
                    content,
                    content.readerIndex(),
                    content.readableBytes(),
                    target.key(),
                    target.address(),
                    batch);
        } else if (message instanceof RdmaRead read) {
            RemoteSegment source = read.source();
            sends.addRead(message, read.content(), source.lengthBytes(), source.key(), source.address(), batch);
        } else {
            RdmaSend send = (RdmaSend) message;
            if (send.invalidateKey() != 0) {
                sends.addSendWithInvalidate(message, send.content(), send.invalidateKey(), batch);
            } else {
                int flags = send.isSolicited() ? IbvSendWR.IBV_SEND_SOLICITED : 0;
                sends.addSend(message, send.content(), flags, batch);
            }
        }
    }

    private static void checkLength(ByteBuf content, RdmaChannelConfig config) {
        int max = config.getMaxSendSize();
        if (content.readableBytes() > max) {
            throw RdmaMessageTooLongException.forSend(content.readableBytes(), max);
        }
    }
}
