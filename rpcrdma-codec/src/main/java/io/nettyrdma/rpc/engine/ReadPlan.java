// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is pulled of a call with read chunks, and where it goes (RFC 8166, sections 3.4.5 and 3.5.3).
 *
 * <p>Segments of equal position are one chunk, in list order. A position counts octets of the whole call, the padding
 * of earlier chunks included, whether it was in the chunk or is supplied here; so {@code position} minus the padded
 * lengths of all earlier chunks is the octet of the payload stream in front of which a chunk goes.
 *
 * @param chunks      in ascending order of position
 * @param pulledBytes octets of all chunks, without padding
 */
public record ReadPlan(List<Chunk> chunks, int pulledBytes) {

    /** Longest RDMA Read: what adapters commonly take in one work request. Longer segments are pulled by several. */
    public static final int MAX_TRANSFER_BYTES = 1 << 30;

    /**
     * One read chunk.
     *
     * @param position    octet of the call at which it goes; 0 for the payload stream of a long call
     * @param lengthBytes octets to be pulled
     * @param segments    that have octets
     */
    public record Chunk(int position, int lengthBytes, List<PlainSegment> segments) {

        /** Octets with zeros up to a whole number of words. */
        public int paddedBytes() {
            return XdrLengths.padded(lengthBytes); // V1-042
        }
    }

    /** Whether there is nothing to pull: all chunks are without octets. */
    public boolean pullsNothing() {
        return pulledBytes == 0;
    }

    /** Whether the first chunk holds the payload stream itself. */
    public boolean isLong() {
        return chunks.get(0).position() == 0; // V1-065, V1-084, V2-063
    }

    /**
     * Plans a call the decoder has accepted; what it guarantees about positions is relied on.
     *
     * @param readList     not empty
     * @param payloadBytes octets behind the header; 0 for a long call
     * @param maxCallBytes longest call
     * @return {@code null} if the call is longer
     */
    static @Nullable ReadPlan of(List<ReadSegment> readList, int payloadBytes, int maxCallBytes) {
        List<ReadSegment> sorted = sorted(readList);
        if (sumBytes(sorted, payloadBytes) > maxCallBytes) {
            return null; // V1-031
        }
        List<Chunk> chunks = new ArrayList<>();
        int pulledBytes = 0;
        for (int first = 0, end; first < sorted.size(); first = end) {
            long position = sorted.get(first).position();
            end = first;
            List<PlainSegment> segments = new ArrayList<>();
            int bytes = 0;
            for (; end < sorted.size() && sorted.get(end).position() == position; end++) { // V1-029, V1-041
                PlainSegment segment = sorted.get(end).segment();
                if (segment.lengthBytes() > 0) { // empty segments transfer nothing. V1-070, V2-179
                    segments.add(segment);
                    bytes += (int) segment.lengthBytes();
                }
            }
            chunks.add(new Chunk((int) position, bytes, segments));
            pulledBytes += bytes;
        }
        return new ReadPlan(chunks, pulledBytes);
    }

    /** Stable, so that segments keep their list order within a chunk. BIS-012 */
    private static List<ReadSegment> sorted(List<ReadSegment> readList) {
        List<ReadSegment> sorted = new ArrayList<>(readList);
        sorted.sort(Comparator.comparingLong(ReadSegment::position));
        return sorted;
    }

    /** Octets of a call that the decoder has accepted, however long it is. */
    static long callBytes(List<ReadSegment> readList, int payloadBytes) {
        return sumBytes(sorted(readList), payloadBytes);
    }

    /** Without overflow: positions and lengths are what a peer says. */
    private static long sumBytes(List<ReadSegment> sorted, int payloadBytes) {
        long bytes = payloadBytes;
        long chunkBytes = 0;
        for (int i = 0; i < sorted.size(); i++) {
            ReadSegment segment = sorted.get(i);
            chunkBytes += segment.segment().lengthBytes(); // V1-030
            if (i + 1 == sorted.size() || sorted.get(i + 1).position() != segment.position()) {
                bytes += segment.position() == 0 ? chunkBytes : XdrLengths.padded(chunkBytes);
                chunkBytes = 0;
            }
        }
        return bytes;
    }
}
