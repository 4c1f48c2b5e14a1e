// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Valid chunk lists of messages of any version, and the numbers in them. */
public final class RandomChunks {

    private final Random random;

    public RandomChunks(Random random) {
        this.random = random;
    }

    /** Of a call that is sent inline. */
    public ChunkLists offered() {
        return new ChunkLists(readList(), writeList(), maybeChunk());
    }

    /** Of a reply that is sent inline. */
    public ChunkLists returned() {
        WriteChunk offered = maybeChunk();
        return new ChunkLists(List.of(), writeList(), offered == null ? null : offered.asUnused());
    }

    /** Of a call that is not, its payload in a read chunk at position 0. */
    public ChunkLists offeredWithPayload() {
        return new ChunkLists(List.of(new ReadSegment(0, payload())), writeList(), maybeChunk());
    }

    /** Of a reply that is not, its payload in the reply chunk. */
    public ChunkLists returnedWithPayload() {
        return new ChunkLists(List.of(), writeList(), new WriteChunk(List.of(payload())));
    }

    private PlainSegment payload() {
        return new PlainSegment(random.nextInt(), 1 + word() / 2, random.nextLong());
    }

    private @Nullable WriteChunk maybeChunk() {
        return random.nextBoolean() ? chunk() : null;
    }

    /** Chunks whose items lie next to each other, the first behind the two words of payload there always are. */
    private List<ReadSegment> readList() {
        List<ReadSegment> list = new ArrayList<>();
        long position = 8;
        for (int chunk = random.nextInt(3); chunk > 0 && position < 1 << 30; chunk--) {
            long bytes = 0;
            for (int segment = 1 + random.nextInt(3); segment > 0; segment--) {
                PlainSegment memory = new PlainSegment(random.nextInt(), random.nextInt(1 << 28), random.nextLong());
                list.add(random.nextInt(list.size() + 1), new ReadSegment(position, memory));
                bytes += memory.lengthBytes();
            }
            position += bytes + 3 & ~3L;
        }
        return list;
    }

    private List<WriteChunk> writeList() {
        List<WriteChunk> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            list.add(chunk());
        }
        return list;
    }

    private WriteChunk chunk() {
        List<PlainSegment> segments = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            segments.add(new PlainSegment(random.nextInt(), word(), random.nextLong()));
        }
        return new WriteChunk(segments);
    }

    /** 0 to 2<sup>32</sup>-1. */
    public long word() {
        return random.nextInt() & 0xffff_ffffL;
    }
}
