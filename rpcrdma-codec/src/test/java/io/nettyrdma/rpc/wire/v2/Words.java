// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Messages as the words they are made of. */
final class Words {

    static final int XID = 0x1a2b3c01;
    static final int CREDITS = 0x00900001;
    /** Words 0 to 4 of a call; its type and flags are to be changed. */
    private static final int[] PREFIX = {XID, 2, CREDITS, 0, 0};

    private Words() {}

    /** Numbers up to 2^32-1. */
    static ByteBuf of(long... words) {
        ByteBuf message = Unpooled.buffer();
        for (long word : words) {
            message.writeInt((int) word);
        }
        return message;
    }

    /** A message with the usual words 0 to 2. */
    static ByteBuf message(int type, int flags, long... body) {
        ByteBuf message = Unpooled.buffer();
        for (int word : PREFIX) {
            message.writeInt(word);
        }
        message.setInt(12, type).setInt(16, flags);
        return message.writeBytes(of(body));
    }

    /** The same message with a word replaced. */
    static ByteBuf with(ByteBuf message, int word, long value) {
        return message.copy().setInt(4 * word, (int) value);
    }

    /** The words of a hexadecimal dump, whatever is between them. */
    static ByteBuf parse(String dump) {
        ByteBuf message = Unpooled.buffer();
        for (String word : dump.replace('|', ' ').strip().split("\\s+")) {
            message.writeInt(Integer.parseUnsignedInt(word, 16));
        }
        return message;
    }
}
