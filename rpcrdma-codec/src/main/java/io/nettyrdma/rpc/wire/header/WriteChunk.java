// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

import java.util.ArrayList;
import java.util.List;

/**
 * Memory the responder may fill with one item: a count, then that many {@link PlainSegment}s;
 * {@code xdr_write_chunk} of RFC 8166, section 4.1.2. In a call the lengths are capacities, in a reply they are the
 * written bytes. The reply chunk has the same form.
 *
 * @param segments in the order they are filled; none for an empty chunk
 */
public record WriteChunk(List<PlainSegment> segments) {

    public WriteChunk {
        segments = List.copyOf(segments);
    }

    /** Sum of the segment lengths, in bytes. */
    public long lengthBytes() {
        long sum = 0; // V1-030
        for (int i = 0; i < segments.size(); i++) {
            sum += segments.get(i).lengthBytes();
        }
        return sum;
    }

    /** Whether there are no segments at all: the requester wants this item inline (RFC 8166, section 4.3.2). */
    public boolean isEmpty() {
        return segments.isEmpty(); // V1-053, V2-050
    }

    /** The same segments with every length 0, as a responder returns a chunk it did not use. */
    public WriteChunk asUnused() {
        List<PlainSegment> returned = new ArrayList<>(segments.size());
        for (PlainSegment segment : segments) {
            returned.add(new PlainSegment(segment.handle(), 0, segment.offset()));
        }
        return new WriteChunk(returned);
    }

    /** Octets on the wire. */
    public int encodedBytes() {
        return 4 + PlainSegment.BYTES * segments.size();
    }
}
