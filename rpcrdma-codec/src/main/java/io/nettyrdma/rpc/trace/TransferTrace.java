// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.trace;

import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.observe.RpcRdmaTransferReport;
import io.nettyrdma.rpc.observe.RpcRdmaTransferReport.Kind;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observes the chunks of one call while they are transferred together, each kind by itself.
 *
 * <p>Threading: confined to the executor of the handler.
 */
public final class TransferTrace {

    /** The chunks of one kind. */
    private static final class Part {
        int chunks;
        long bytes;
    }

    private final CallTrace call;
    private final Map<Kind, Part> parts = new EnumMap<>(Kind.class);
    private long startNanos;

    private TransferTrace(CallTrace call) {
        this.call = call;
    }

    /** A responder starts to pull the read chunks of a call; {@code null} if it is not observed. */
    public static @Nullable TransferTrace pulling(@Nullable CallTrace call, ReadPlan plan) {
        if (call == null) {
            return null;
        }
        TransferTrace transfer = new TransferTrace(call);
        for (ReadPlan.Chunk chunk : plan.chunks()) {
            transfer.add(chunk.position() == 0 ? Kind.POSITION_ZERO : Kind.READ, chunk.lengthBytes());
        }
        return transfer.started();
    }

    /** A responder starts to write to the chunks that it is going to return. */
    static TransferTrace pushing(CallTrace call, ChunkLists returned) {
        TransferTrace transfer = new TransferTrace(call);
        transfer.addWritten(returned);
        return transfer.started();
    }

    /** A requester has a reply that tells what was transferred. */
    public static void onReplied(CallTrace call, ChunkLists offered, ChunkLists returned) {
        TransferTrace transfer = new TransferTrace(call);
        for (ReadSegment entry : offered.readList()) {
            transfer.add(
                    entry.position() == 0 ? Kind.POSITION_ZERO : Kind.READ,
                    entry.segment().lengthBytes()); // one segment each
        }
        transfer.addWritten(returned);
        transfer.report(0);
    }

    private void addWritten(ChunkLists returned) {
        for (WriteChunk chunk : returned.writeList()) {
            add(Kind.WRITE, chunk.lengthBytes());
        }
        WriteChunk replyChunk = returned.replyChunk();
        if (replyChunk != null) {
            add(Kind.REPLY, replyChunk.lengthBytes());
        }
    }

    private void add(Kind kind, long bytes) {
        if (bytes > 0) {
            Part part = parts.computeIfAbsent(kind, key -> new Part());
            part.chunks++;
            part.bytes += bytes;
        }
    }

    private TransferTrace started() {
        startNanos = call.observer().nanoTime();
        return this;
    }

    /** All octets are where they belong. */
    public void onEnded() {
        report(call.observer().nanoTime() - startNanos);
    }

    private void report(long durationNanos) {
        RpcRdmaObserver observer = call.observer();
        if (!observer.isListenedTo()) {
            return;
        }
        parts.forEach((kind, part) -> {
            var report = new RpcRdmaTransferReport(
                    observer.role(), call.xid(), kind, part.chunks, part.bytes, durationNanos);
            observer.onEvent((to, channel) -> to.onChunksTransferred(channel, report));
        });
    }
}
