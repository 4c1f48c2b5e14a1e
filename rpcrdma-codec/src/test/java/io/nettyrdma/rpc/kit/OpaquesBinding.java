// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A program whose arguments and results are any number of {@code opaque<>}, all reducible but those of procedure 0. */
public final class OpaquesBinding implements UpperLayerBinding {

    public static final int PROGRAM = 400_000;
    public static final int VERSION = 1;
    public static final int FIXED = 0;
    public static final int OPAQUES = 1;
    public static final UpperLayerBindings BINDINGS =
            UpperLayerBindings.none().with(PROGRAM, VERSION, new OpaquesBinding());

    @Override
    public boolean mayReduceArguments(RpcCallHeader header) {
        return header.procedure() == OPAQUES;
    }

    @Override
    public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
        return header.procedure() == OPAQUES ? opaques(call, header.argumentsOffset()) : List.of();
    }

    @Override
    public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
        return ReplyBounds.UNKNOWN;
    }

    @Override
    public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
        return header.procedure() == OPAQUES ? opaques(reply, TestProgram.ACCEPTED_REPLY_BYTES) : List.of();
    }

    private static List<XdrItem> opaques(ByteBuf message, int offset) {
        List<XdrItem> items = new ArrayList<>();
        int at = offset;
        while (message.readableBytes() - at >= 4) {
            int length = message.getInt(message.readerIndex() + at);
            at += 4;
            if (length < 0 || length > message.readableBytes() - at) {
                break;
            }
            items.add(new XdrItem(at, length));
            at += length + 3 & ~3;
        }
        return items;
    }
}
