// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** What memory of an event loop holds when it is handed out: a test that meets it has been shown another's bytes. */
public final class Poison {

    private static final ByteBuf PATTERN =
            Unpooled.unreleasableBuffer(Unpooled.copyLong(RegisteredSlab.POISON).asReadOnly());

    private Poison() {}

    /** Fails if the readable bytes contain the pattern. */
    public static void requireNoneIn(ByteBuf content) {
        assertThat(isIn(content))
                .as("unwritten bytes are among the %d received", content.readableBytes())
                .isFalse();
    }

    static boolean isIn(ByteBuf content) {
        return ByteBufUtil.indexOf(PATTERN.duplicate(), content) >= 0;
    }
}
