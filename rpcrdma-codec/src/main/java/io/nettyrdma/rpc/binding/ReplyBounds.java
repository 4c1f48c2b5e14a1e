// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
