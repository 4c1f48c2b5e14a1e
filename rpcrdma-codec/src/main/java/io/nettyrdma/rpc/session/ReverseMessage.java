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
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import org.jspecify.annotations.Nullable;

/**
 * A received message of the reverse direction, on its way from the handler at the bottom of the pipeline to the reverse
 * one. Headers of version 1 do not tell their direction. So a message is one of the forward direction if it can be; only
 * what makes no sense there is looked at again, and no message makes sense in both: if there is an inline payload stream,
 * its msg_type tells, and without one only calls have a read list.
 *
 * <p>Ownership: the content is the payload stream, empty if there is none inline.
 */
public final class ReverseMessage extends DefaultByteBufHolder {

    private final RpcRdmaMessage header;

    private ReverseMessage(RpcRdmaMessage header, ByteBuf payload) {
        super(payload);
        this.header = header;
    }

    public RpcRdmaMessage header() {
        return header;
    }

    /** The reverse call that a message is which is no forward reply, {@code null} if it is neither. */
    public static @Nullable ReverseMessage callIn(ByteBuf message, RpcRdmaDecoder decoder) {
        Decoded decoded = decoder.decode(message, Direction.CALL);
        return decoded instanceof RpcRdmaMessage header ? of(header, message) : null;
    }

    /**
     * The reverse reply or error that a message is which is no forward call, {@code null} if it is neither. Calls of the
     * reverse direction offer no reply chunk, so an {@code RDMA_NOMSG} is not one of their replies but a defective call.
     */
    public static @Nullable ReverseMessage replyIn(ByteBuf message, RpcRdmaDecoder decoder) {
        Decoded decoded = decoder.decode(message, Direction.REPLY);
        return decoded instanceof RpcRdmaMessage header && !(header instanceof RpcRdmaMessage.NoMsg) // V1-114
                ? of(header, message)
                : null;
    }

    private static ReverseMessage of(RpcRdmaMessage header, ByteBuf message) {
        ByteBuf payload = header instanceof RpcRdmaMessage.Msg inline
                ? payload(inline, message)
                : message.retainedSlice(message.writerIndex(), 0);
        return new ReverseMessage(header, payload);
    }

    /** What follows the header, with a reference of its own. */
    public static ByteBuf payload(RpcRdmaMessage.Msg header, ByteBuf message) {
        int headerBytes = RpcRdmaEncoder.headerBytes(header.chunks());
        return message.retainedSlice(message.readerIndex() + headerBytes, message.readableBytes() - headerBytes);
    }

    @Override
    public ReverseMessage replace(ByteBuf payload) {
        return new ReverseMessage(header, payload);
    }
}
