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
package io.nettyrdma.rpc.binding;

import java.util.List;

/**
 * Limits the length of a reply. The bounds have a part for each result: without the results that go to write chunks,
 * the reply is not longer than {@code maxBytes} less their {@code reducibleBytes}, each rounded up to a multiple of 4.
 *
 * @param maxBytes       bytes of the longest whole reply, nothing reduced, from its XID on, verifier included;
 *                       {@link #UNKNOWN_BYTES} if it is unbounded or unknown
 * @param reducibleBytes for each result that may be in a write chunk, in the order of the reply, the longest content in
 *                       bytes, without padding
 */
public record ReplyBounds(int maxBytes, List<Integer> reducibleBytes) {

    /** Marks an unknown bound. */
    public static final int UNKNOWN_BYTES = -1;

    /** Nothing is known, and nothing may be reduced. */
    public static final ReplyBounds UNKNOWN = new ReplyBounds(UNKNOWN_BYTES, List.of());

    /** Copies the list. */
    public ReplyBounds {
        reducibleBytes = List.copyOf(reducibleBytes);
    }
}
