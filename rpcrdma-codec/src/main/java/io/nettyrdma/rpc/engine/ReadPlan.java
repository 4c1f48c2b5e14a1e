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
 * How a call with read chunks is put together: what is pulled into which chunk's buffer, and in which order runs of the
 * payload stream and chunks then follow each other (RFC 8166, sections 3.4.5 and 3.5.3).
 *
 * <p>Segments of equal position are one chunk, in list order. A position counts octets of the whole call, the padding
 * of earlier chunks included, whether it was in the chunk or is supplied here; so {@code position} minus the padded
 * lengths of all earlier chunks is the octet of the payload stream in front of which a chunk goes.
 *
 * @param chunks      one buffer each; in a long call the first holds the payload stream itself
 * @param pieces      the call, in order
 * @param callBytes   octets of the call
 * @param pulledBytes octets of all buffers, without padding
 */
public record ReadPlan(List<Chunk> chunks, List<Piece> pieces, int callBytes, int pulledBytes) {

    /** Longest RDMA Read: what adapters commonly take in one work request. Longer segments are pulled by several. */
    static final int MAX_TRANSFER_BYTES = 1 << 30;

    /**
     * One read chunk.
     *
     * @param position    octet of the call at which it goes; 0 for the payload stream of a long call
     * @param lengthBytes octets to be pulled
     * @param pulls       RDMA Reads, none for a chunk without octets
     */
    public record Chunk(int position, int lengthBytes, List<Pull> pulls) {

        /** Copies the list. */
        public Chunk {
            pulls = List.copyOf(pulls);
        }

        /** Octets with zeros up to a whole number of words. */
        public int paddedBytes() {
            return XdrLengths.padded(lengthBytes); // V1-042
        }
    }

    /**
     * One RDMA Read.
     *
     * @param handle      of the requester's memory
     * @param offset      in it, opaque
     * @param lengthBytes octets, at least 1
     * @param target      octet of the chunk's buffer they go to
     */
    public record Pull(int handle, long offset, int lengthBytes, int target) {}

    /**
     * A run of octets of the call.
     *
     * @param chunk       whose buffer it is in; {@link #INLINE} for the payload stream of the message
     * @param offset      first octet there
     * @param lengthBytes octets, at least 1; padding of a chunk included
     */
    public record Piece(int chunk, int offset, int lengthBytes) {

        /** Stands for the message itself. */
        public static final int INLINE = -1;
    }

    /** Copies the lists. */
    public ReadPlan {
        chunks = List.copyOf(chunks);
        pieces = List.copyOf(pieces);
    }

    /** Whether there is nothing to pull: all chunks are without octets. */
    public boolean pullsNothing() {
        return pulledBytes == 0;
    }

    /**
     * Plans a call the decoder has accepted; what it guarantees about positions is relied on.
     *
     * @param readList     not empty
     * @param isLong       whether the payload stream is in a position-zero chunk
     * @param payloadBytes octets behind the header; 0 for a long call
     * @param maxCallBytes longest call
     * @return {@code null} if the call is longer
     */
    static @Nullable ReadPlan of(List<ReadSegment> readList, boolean isLong, int payloadBytes, int maxCallBytes) {
        return of(readList, isLong, payloadBytes, maxCallBytes, MAX_TRANSFER_BYTES);
    }

    static @Nullable ReadPlan of(
            List<ReadSegment> readList, boolean isLong, int payloadBytes, int maxCallBytes, int maxTransferBytes) {
        List<ReadSegment> sorted = sorted(readList);
        if (sumBytes(sorted, payloadBytes) > maxCallBytes) {
            return null; // V1-031
        }
        List<Chunk> chunks = new ArrayList<>();
        for (int first = 0, end; first < sorted.size(); first = end) {
            long position = sorted.get(first).position();
            end = first + 1;
            while (end < sorted.size() && sorted.get(end).position() == position) {
                end++; // V1-029, V1-041
            }
            chunks.add(chunk((int) position, sorted.subList(first, end), maxTransferBytes));
        }
        return new Assembly(chunks, isLong, payloadBytes).plan();
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

    private static Chunk chunk(int position, List<ReadSegment> segments, int maxTransferBytes) {
        List<Pull> pulls = new ArrayList<>(segments.size());
        int target = 0;
        for (ReadSegment entry : segments) {
            PlainSegment segment = entry.segment();
            int left = (int) segment.lengthBytes();
            long offset = segment.offset();
            while (left > 0) { // empty segments transfer nothing. V1-070, V2-179
                int part = Math.min(left, maxTransferBytes);
                pulls.add(new Pull(segment.handle(), offset, part, target)); // V1-103
                offset += part; // V1-103
                target += part;
                left -= part;
            }
        }
        return new Chunk(position, target, pulls);
    }

    /** Walks along the payload stream and puts the chunks into it. */
    private static final class Assembly {

        private final List<Chunk> chunks;
        private final int stream;
        private final int streamBytes;
        private final List<Piece> pieces = new ArrayList<>();
        private int taken;

        Assembly(List<Chunk> chunks, boolean isLong, int payloadBytes) {
            this.chunks = chunks;
            stream = isLong ? 0 : Piece.INLINE; // V1-065, V1-084, V2-063
            streamBytes = isLong ? chunks.get(0).lengthBytes() : payloadBytes;
        }

        ReadPlan plan() {
            int inserted = 0;
            int pulled = stream == 0 ? streamBytes : 0;
            for (int i = stream + 1; i < chunks.size(); i++) {
                Chunk chunk = chunks.get(i);
                takeStream(chunk.position() - inserted); // V1-039
                if (chunk.lengthBytes() > 0) {
                    pieces.add(new Piece(i, 0, chunk.paddedBytes()));
                }
                inserted += chunk.paddedBytes();
                pulled += chunk.lengthBytes();
            }
            takeStream(streamBytes);
            return new ReadPlan(chunks, pieces, streamBytes + inserted, pulled);
        }

        private void takeStream(int end) {
            if (end > taken) {
                pieces.add(new Piece(stream, taken, end - taken));
                taken = end;
            }
        }
    }
}
