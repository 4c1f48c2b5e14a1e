// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.channel.RemoteSegment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The protocol of rdma-core's {@code rping}, an RDMA program with every operation in it. A round is
 *
 * <ol>
 *   <li>client: Send that advertises its start buffer, which holds the ping data
 *   <li>server: RDMA Read of that buffer, then a Send that means "go on"
 *   <li>client: Send that advertises its sink buffer
 *   <li>server: RDMA Write of what it read into that buffer, then a Send that means "done"
 * </ol>
 *
 * <p>All Sends have the same 16 octets: address u64, key u32, length u32, big-endian. Those of the server mean nothing.
 * Neither side has more than one Send unanswered, and {@code rping} posts no more than one receive.
 */
final class Rping {
    static final int MESSAGE_BYTES = 16;

    private static final int FIRST = 'A';
    private static final int CHARACTERS = 'z' - 'A' + 1;

    private Rping() {}

    static ByteBuf advertisement(ByteBufAllocator allocator, RemoteSegment segment) {
        return allocator
                .directBuffer(MESSAGE_BYTES)
                .writeLong(segment.address())
                .writeInt(segment.key())
                .writeInt(segment.lengthBytes());
    }

    static ByteBuf goOn(ByteBufAllocator allocator) {
        return allocator.directBuffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES);
    }

    static RemoteSegment advertised(ByteBuf message) throws IOException {
        checkLength(message);
        long address = message.readLong();
        int key = message.readInt();
        return new RemoteSegment(key, address, message.readInt());
    }

    static void checkLength(ByteBuf message) throws IOException {
        if (message.readableBytes() != MESSAGE_BYTES) {
            throw new IOException("rping message of " + message.readableBytes() + " octets, not " + MESSAGE_BYTES);
        }
    }

    /**
     * The ping data of a round as {@code rping -c} makes it: a C string that fills the buffer, beginning with the
     * round's number and going on with the characters from 'A' to 'z', each round from the next one.
     *
     * @param round from 0
     * @param size  octets, with the terminating 0
     */
    static byte[] pingData(int round, int size) {
        byte[] data = new byte[size];
        byte[] head = ("rdma-ping-" + round + ": ").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(head, 0, data, 0, head.length);
        for (int i = head.length; i < size - 1; i++) {
            data[i] = (byte) (FIRST + (round + i - head.length) % CHARACTERS);
        }
        return data;
    }
}
