// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Message.ConnProp;

/** Frames a set of properties: one message, or the fragments of several that follow each other (C7). */
final class PropertyFrame {

    private PropertyFrame() {}

    static Version2Send of(ByteBufAllocator alloc, int xid, OwnProperties.Part part) {
        int flags = part.more() ? Rdma2.TPMORE : 0;
        ByteBuf whole = alloc.directBuffer(Rdma2.PREFIX_BYTES + part.bytes());
        Rdma2Encoder.encode(new ConnProp(xid, 0, flags, part.properties()), whole);
        int messages = part.messages();
        return messages == 1
                ? Version2Send.properties(part.more(), whole)
                : Version2Send.properties(part.more(), cut(alloc, xid, flags, part, messages, whole));
    }

    private static ByteBuf[] cut(
            ByteBufAllocator alloc, int xid, int flags, OwnProperties.Part part, int messages, ByteBuf whole) {
        ByteBuf[] fragments = new ByteBuf[messages];
        int cut = 0;
        try {
            whole.skipBytes(Rdma2.PREFIX_BYTES);
            while (cut < messages) {
                int bytes = Math.min(part.fragmentBytes(), whole.readableBytes());
                ByteBuf fragment = alloc.directBuffer(Rdma2.PREFIX_BYTES + bytes);
                fragments[cut++] = fragment;
                int more = cut < messages ? Rdma2.MORE : 0;
                Rdma2Encoder.encode(new ConnProp(xid, 0, flags | more, null), fragment); // V2-176
                fragment.writeBytes(whole, bytes);
            }
            return fragments;
        } catch (RuntimeException | OutOfMemoryError e) {
            while (cut > 0) {
                fragments[--cut].release();
            }
            throw e;
        } finally {
            whole.release();
        }
    }
}
