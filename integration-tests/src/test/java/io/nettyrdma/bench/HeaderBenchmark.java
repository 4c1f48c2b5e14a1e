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
package io.nettyrdma.bench;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.DecodeLimits;
import io.nettyrdma.rpc.wire.Decoded;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Time and allocation of encoding and decoding the headers of RPC-over-RDMA version 1. */
final class HeaderBenchmark {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP_ROUNDS = 5;

    private static final String CHUNKS_TEXT = "2 read segments, 1 write chunk, reply chunk of 3";
    private static final ChunkLists CHUNKS = new ChunkLists(
            List.of(new ReadSegment(96, segment(1)), new ReadSegment(96, segment(2))),
            List.of(new WriteChunk(List.of(segment(3)))),
            new WriteChunk(List.of(segment(4), segment(5), segment(6))));

    /** What came out of the last operation, so that none is optimized away. */
    private static volatile Object sink;

    private record Cost(double nanos, double bytes) {}

    private interface Operation {
        Object run();
    }

    private HeaderBenchmark() {}

    private static PlainSegment segment(int handle) {
        return new PlainSegment(handle, 4096, 0x7f00_0000_0000L + handle);
    }

    static String table(int rounds, int operations) {
        StringBuilder table = new StringBuilder(
                "### Headers of RPC-over-RDMA version 1\n\n| operation | ns | heap B |\n|---|---:|---:|\n");
        ByteBuf buffer = Unpooled.directBuffer(256);
        try {
            ChunkLists none = ChunkLists.ABSENT;
            row(table, "encode, no chunks", rounds, operations, encode(none, buffer));
            row(table, "decode, no chunks", rounds, operations, decode(none, buffer));
            row(table, "encode, " + CHUNKS_TEXT, rounds, operations, encode(CHUNKS, buffer));
            row(table, "decode, " + CHUNKS_TEXT, rounds, operations, decode(CHUNKS, buffer));
        } finally {
            buffer.release();
        }
        return table.toString();
    }

    private static Operation encode(ChunkLists chunks, ByteBuf out) {
        return () -> {
            out.clear();
            RpcRdmaEncoder.encodeMsg(0x11223344, 32, chunks, out);
            return out;
        };
    }

    private static Operation decode(ChunkLists chunks, ByteBuf message) {
        message.clear();
        RpcRdmaEncoder.encodeMsg(0x11223344, 32, chunks, message);
        message.writeInt(0x11223344).writeInt(0).writeZero(96);
        RpcRdmaDecoder decoder = new RpcRdmaDecoder(DecodeLimits.NONE);
        return () -> {
            Decoded decoded = decoder.decode(message, Direction.CALL);
            message.readerIndex(0);
            return decoded;
        };
    }

    private static void row(StringBuilder table, String name, int rounds, int operations, Operation operation) {
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            round(operation, operations);
        }
        List<Cost> costs = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            costs.add(round(operation, operations));
        }
        table.append(String.format(
                Locale.ROOT,
                "| %s | %.1f | %.1f |%n",
                name,
                costs.stream()
                        .mapToDouble(Cost::nanos)
                        .sorted()
                        .skip(rounds / 2)
                        .findFirst()
                        .orElseThrow(),
                costs.stream()
                        .mapToDouble(Cost::bytes)
                        .sorted()
                        .skip(rounds / 2)
                        .findFirst()
                        .orElseThrow()));
    }

    private static Cost round(Operation operation, int operations) {
        long thread = Thread.currentThread().getId();
        long allocated = THREADS.getThreadAllocatedBytes(thread);
        long started = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            sink = operation.run();
        }
        long nanos = System.nanoTime() - started;
        return new Cost(
                (double) nanos / operations,
                (double) (THREADS.getThreadAllocatedBytes(thread) - allocated) / operations);
    }
}
