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
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.message.XdrItem;
import java.util.List;

/**
 * How one call is conveyed, and what memory it offers for its reply. Every chunk is one segment.
 *
 * @param form            where the payload stream goes
 * @param readChunks      arguments that leave the payload stream, in ascending order, none empty; none in a long call
 * @param writeChunkBytes capacity of each write chunk, in octets
 * @param replyChunkBytes capacity of the reply chunk, in octets; 0 for none
 */
public record CallPlan(Form form, List<XdrItem> readChunks, List<Integer> writeChunkBytes, int replyChunkBytes) {

    /** Where the payload stream of a call goes (RFC 8166, section 3.5). */
    public enum Form {
        /** Into the Send, behind the header: {@code RDMA_MSG}. */
        INLINE,
        /** Into a read chunk of position zero, the whole message: {@code RDMA_NOMSG}. */
        LONG
    }

    /** Everything inline, nothing offered. */
    public static final CallPlan NO_CHUNKS = new CallPlan(Form.INLINE, List.of(), List.of(), 0);

    /** Copies the lists. */
    public CallPlan {
        readChunks = List.copyOf(readChunks);
        writeChunkBytes = List.copyOf(writeChunkBytes);
    }

    /** Whether no memory has to be registered. */
    public boolean hasNoChunks() {
        return form == Form.INLINE && readChunks.isEmpty() && writeChunkBytes.isEmpty() && replyChunkBytes == 0;
    }
}
