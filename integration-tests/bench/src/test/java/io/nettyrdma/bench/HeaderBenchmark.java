// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Limits;
import io.nettyrdma.rpc.wire.v2.Rdma2Rejection;
import io.nettyrdma.rpc.wire.v2.Rdma2Sequence;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Time and allocation of encoding and decoding the headers of RPC-over-RDMA, versions 1 and 2. */
final class HeaderBenchmark {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP_ROUNDS = 5;
    private static final int XID = 0x11223344;

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
        StringBuilder table = new StringBuilder("### Headers of RPC-over-RDMA, versions 1 and 2\n\n"
                + "| operation | 1: ns | 1: heap B | 2: ns | 2: heap B |\n|---|---:|---:|---:|---:|\n");
        ByteBuf buffer = Unpooled.directBuffer(256);
        try {
            ChunkLists none = ChunkLists.ABSENT;
            for (ChunkLists chunks : List.of(none, CHUNKS)) {
                String text = chunks == none ? "no chunks" : CHUNKS_TEXT;
                row(
                        table,
                        "encode, " + text,
                        costs(rounds, operations, List.of(encode(chunks, buffer), encode2(chunks, buffer))));
                ByteBuf second = Unpooled.directBuffer(256);
                row(
                        table,
                        "decode, " + text,
                        costs(rounds, operations, List.of(decode(chunks, buffer), decode2(chunks, second))));
                second.release();
            }
        } finally {
            buffer.release();
        }
        return table.toString();
    }

    private static Operation encode(ChunkLists chunks, ByteBuf out) {
        return () -> {
            out.clear();
            RpcRdmaEncoder.encodeMsg(XID, 32, chunks, out);
            return out;
        };
    }

    private static Operation encode2(ChunkLists chunks, ByteBuf out) {
        int credits = Rdma2.credits(80, 1);
        int nominated = chunks.areAbsent() ? 0 : 1;
        return () -> {
            out.clear();
            Rdma2Encoder.encodeMsg(XID, credits, 0, nominated, chunks, out);
            return out;
        };
    }

    private static Operation decode(ChunkLists chunks, ByteBuf message) {
        encode(chunks, message).run();
        message.writeInt(XID).writeInt(0).writeZero(96);
        RpcRdmaDecoder decoder = new RpcRdmaDecoder(DecodeLimits.NONE);
        return () -> {
            Decoded decoded = decoder.decode(message, Direction.CALL);
            message.readerIndex(0);
            return decoded;
        };
    }

    private static Operation decode2(ChunkLists chunks, ByteBuf message) {
        encode2(chunks, message).run();
        message.writeInt(XID).writeInt(0).writeZero(96);
        Rdma2Decoder decoder = new Rdma2Decoder(Rdma2Limits.NONE, Direction.CALL);
        decoder.onVersionFixed();
        return () -> {
            Rdma2Decoded decoded = decoder.decode(message, Rdma2Sequence.NONE);
            message.readerIndex(0);
            return decoded;
        };
    }

    /** What each operation costs, round by round; within a round, each has its turn. */
    private static List<List<Cost>> costs(int rounds, int operations, List<Operation> competitors) {
        List<List<Cost>> costs = competitors.stream()
                .map(operation -> (List<Cost>) new ArrayList<Cost>())
                .toList();
        for (Operation operation : competitors) {
            if (operation.run() instanceof Rejection || operation.run() instanceof Rdma2Rejection) {
                throw new IllegalStateException("the header is not valid");
            }
        }
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            competitors.forEach(operation -> round(operation, operations));
        }
        for (int i = 0; i < rounds; i++) {
            for (int j = 0; j < competitors.size(); j++) {
                costs.get(j).add(round(competitors.get(j), operations));
            }
        }
        return costs;
    }

    private static void row(StringBuilder table, String name, List<List<Cost>> costs) {
        table.append("| ").append(name);
        for (List<Cost> rounds : costs) {
            table.append(String.format(
                    Locale.ROOT, " | %.1f | %.1f", median(rounds, Cost::nanos), median(rounds, Cost::bytes)));
        }
        table.append(" |\n");
    }

    private static double median(List<Cost> rounds, ToDoubleFunction<Cost> value) {
        double[] sorted = rounds.stream().mapToDouble(value).sorted().toArray();
        return sorted[sorted.length / 2];
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
