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
package io.nettyrdma.examples.nfs;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandler;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.TooLongFrameException;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages over a byte stream (RFC 5531, section 11). In the place of Hadoop's frame decoder, which takes each fragment
 * for a whole message, and collects as much as a stranger announces.
 *
 * <p>Threading: confined to the event loop of its channel. Ownership: owns the fragments of the message that is coming.
 */
final class RecordMarking extends ByteToMessageDecoder implements ChannelOutboundHandler {

    private static final int LAST = 0x8000_0000;

    private final int maxBytes;
    private @Nullable CompositeByteBuf fragments;

    /** @param maxBytes longest message; a longer one ends the connection */
    RecordMarking(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (in.readableBytes() < Integer.BYTES) {
            return;
        }
        int mark = in.getInt(in.readerIndex());
        int length = mark & ~LAST;
        int known = fragments == null ? 0 : fragments.readableBytes();
        if (length > maxBytes - known) {
            throw new TooLongFrameException("an RPC message over " + maxBytes + " octets");
        }
        if (in.readableBytes() - Integer.BYTES < length) {
            return;
        }
        in.skipBytes(Integer.BYTES);
        if (fragments == null) {
            fragments = context.alloc().compositeBuffer();
        }
        fragments.addComponent(true, in.readRetainedSlice(length));
        if ((mark & LAST) != 0) {
            out.add(fragments);
            fragments = null;
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        if (fragments != null) {
            fragments.release();
            fragments = null;
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        int length = ((ByteBuf) message).readableBytes();
        context.write(context.alloc().buffer(Integer.BYTES).writeInt(LAST | length));
        context.write(message, promise);
    }

    @Override
    public void bind(ChannelHandlerContext context, SocketAddress local, ChannelPromise promise) {
        context.bind(local, promise);
    }

    @Override
    public void connect(
            ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        context.connect(remote, local, promise);
    }

    @Override
    public void disconnect(ChannelHandlerContext context, ChannelPromise promise) {
        context.disconnect(promise);
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        context.close(promise);
    }

    @Override
    public void deregister(ChannelHandlerContext context, ChannelPromise promise) {
        context.deregister(promise);
    }

    @Override
    public void read(ChannelHandlerContext context) {
        context.read();
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        context.flush();
    }
}
