// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;

/** What memory of an event loop holds when it is handed out: a test that meets it has been shown another's bytes. */
public final class Poison {

    private static final byte FIRST = (byte) (RegisteredSlab.POISON >>> 56);

    private Poison() {}

    /** Fails if the readable bytes contain the pattern. */
    public static void requireNoneIn(ByteBuf content) {
        assertThat(isIn(content))
                .as("unwritten bytes are among the %d received", content.readableBytes())
                .isFalse();
    }

    static boolean isIn(ByteBuf content) {
        // In an array: ByteBufUtil.indexOf takes minutes for some megabytes where the processor is emulated.
        byte[] bytes = ByteBufUtil.getBytes(content);
        ByteBuffer words = ByteBuffer.wrap(bytes);
        for (int i = 0; i <= bytes.length - Long.BYTES; i++) {
            if (bytes[i] == FIRST && words.getLong(i) == RegisteredSlab.POISON) {
                return true;
            }
        }
        return false;
    }
}
