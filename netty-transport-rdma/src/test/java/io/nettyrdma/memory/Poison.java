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
