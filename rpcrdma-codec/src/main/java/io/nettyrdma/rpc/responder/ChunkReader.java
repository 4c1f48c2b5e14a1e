// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.session.ProcessMemory;
import io.nettyrdma.rpc.session.StandstillTimer;
import io.nettyrdma.rpc.trace.CallTrace;
import io.nettyrdma.rpc.trace.TransferTrace;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Pulls the read chunks of calls by RDMA Read, in the order the calls came. The channel keeps the Reads within what the
 * peer allows; this class keeps the memory within bounds. Calls wait without memory while too many octets are on their
 * way, for this connection or for {@linkplain RoomInTurn all of the process}, and Reads are written a {@linkplain
 * TransferWindow window} at a time.
 *
 * <p>A Read that fails ends the connection, by the rules of RDMA; the call is then dropped. So does a peer for which
 * none of the Reads under way completes for {@link ResponderLimits#peerTimeoutNanos}.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: owns the inline parts and buffers of calls from
 * {@link #pull} until they are handed over.
 */
public final class ChunkReader {

    private final long maxPullingBytes;
    private final TransferWindow window;
    private final ByteBufAllocator alloc;
    private final PulledCalls receiver;
    /** Calls without memory. */
    private final ArrayDeque<CallAssembly> waiting = new ArrayDeque<>();
    /** Calls with memory that have Reads to be written. */
    private final ArrayDeque<CallAssembly> reading = new ArrayDeque<>();

    /** Calls with memory, in the order of their Reads. */
    private final ArrayDeque<CallAssembly> started = new ArrayDeque<>();

    private final long timeoutNanos;
    /** Runs while Reads are under way, from when one of them last completed or the first was written. */
    private final StandstillTimer standstill;

    /** What there is memory for and has not all come. */
    private final ProcessMemory pulling;

    private final RoomInTurn room;
    private long bytesInFlight;
    private boolean closed;

    /**
     * @param limits bounds the octets on their way, the Reads written and not complete, and the time they may take
     * @param alloc  provides the memory that Reads go to, best registered
     * @param receiver takes the calls that are complete
     */
    public ChunkReader(ResponderLimits limits, ByteBufAllocator alloc, PulledCalls receiver) {
        maxPullingBytes = limits.maxPullingBytes();
        timeoutNanos = limits.peerTimeoutNanos();
        standstill = new StandstillTimer(timeoutNanos, this::endStandstill);
        pulling = ProcessMemory.ofReads(limits.maxWaitingBytes());
        room = new RoomInTurn(pulling, timeoutNanos, this::onTurn, this::refuseFirst);
        window = new TransferWindow(limits.maxPullingReads(), this::writeRead);
        this.alloc = alloc;
        this.receiver = receiver;
    }

    /** Octets that there is memory for and that have not all come. */
    public long pullingBytes() {
        return pulling.bytes();
    }

    /** Octets of the Reads that the channel has. */
    long bytesInFlight() {
        return bytesInFlight;
    }

    /**
     * Pulls a call, now or when others are done. The Reads are written; flushing them is the caller's.
     *
     * @param inline payload stream behind the header; becomes this object's
     */
    public void pull(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf inline) {
        CallAssembly assembly = new CallAssembly(call, plan, inline, ReadPlan.MAX_TRANSFER_BYTES);
        if (waiting.isEmpty() && hasRoomFor(assembly)) {
            start(ctx, assembly);
            window.fill(ctx);
        } else {
            waiting.add(assembly);
            lineUp(ctx);
        }
    }

    private boolean hasRoomFor(CallAssembly assembly) {
        return hasRoomHere(assembly) && pulling.mayTake(assembly.plan().pulledBytes());
    }

    /** A call that exceeds the bound by itself is pulled alone. */
    private boolean hasRoomHere(CallAssembly assembly) {
        long bytes = pulling.bytes();
        return bytes == 0 || assembly.plan().pulledBytes() <= maxPullingBytes - bytes;
    }

    private void lineUp(ChannelHandlerContext ctx) {
        @Nullable CallAssembly next = waiting.peek();
        room.lineUp(ctx, next != null && hasRoomHere(next));
    }

    /** The first call has waited too long for room in the process. */
    private void refuseFirst(ChannelHandlerContext ctx) {
        @Nullable CallAssembly first = waiting.poll();
        if (first != null) {
            first.release();
            receiver.onNoMemory(ctx, first.call());
            onTurn(ctx);
        }
    }

    private void onTurn(ChannelHandlerContext ctx) {
        goOn(ctx);
        ctx.flush(); // the Reads, or the refusal of a call without memory
    }

    private void start(ChannelHandlerContext ctx, CallAssembly assembly) {
        try {
            assembly.allocate(alloc);
        } catch (RuntimeException | OutOfMemoryError e) {
            assembly.release();
            receiver.onNoMemory(ctx, assembly.call());
            return;
        }
        pulling.take(assembly.plan().pulledBytes());
        assembly.trace = TransferTrace.pulling(CallTrace.of(assembly.call()), assembly.plan());
        reading.add(assembly);
        started.add(assembly);
    }

    private boolean writeRead(ChannelHandlerContext ctx) {
        @Nullable CallAssembly assembly = reading.peek();
        if (assembly == null) {
            return false;
        }
        RdmaRead read = assembly.nextRead();
        if (!assembly.hasMoreReads()) {
            reading.remove();
        }
        int bytes = read.source().lengthBytes();
        if (window.inFlight() == 0) {
            standstill.start(ctx);
            room.onProgress(ctx, true);
        }
        window.onBegun();
        bytesInFlight += bytes;
        assembly.readsInFlight++;
        ctx.write(read).addListener(future -> {
            window.onEnded();
            bytesInFlight -= bytes;
            assembly.readsInFlight--;
            onCompleted(ctx, assembly, future.cause());
        });
        return true;
    }

    private void onCompleted(ChannelHandlerContext ctx, CallAssembly assembly, @Nullable Throwable failure) {
        if (failure != null && !assembly.failed) {
            assembly.failed = true;
            assembly.dropReads();
            reading.remove(assembly);
            FailedTransfer.close(ctx, failure);
        }
        if (window.inFlight() == 0) {
            standstill.stop();
            room.onProgress(ctx, false);
        } else if (failure == null) {
            standstill.start(ctx);
            room.onProgress(ctx, true);
        }
        boolean ended = assembly.readsInFlight == 0 && !assembly.hasMoreReads();
        if (ended) {
            started.remove(assembly);
            pulling.give(assembly.plan().pulledBytes());
        }
        if (closed || assembly.failed) {
            if (ended) {
                assembly.release();
            }
            return;
        }
        if (ended && assembly.trace != null) {
            assembly.trace.onEnded();
        }
        goOn(ctx);
        if (ended) {
            ByteBuf message = assembly.assemble(ctx.alloc());
            receiver.onPulled(ctx, assembly.call(), assembly.plan(), message); // V1-060, V2-059
        }
    }

    private void endStandstill(ChannelHandlerContext ctx) {
        @Nullable CallAssembly oldest = started.peek();
        int xid = oldest == null ? 0 : oldest.call().xid();
        ctx.pipeline()
                .fireExceptionCaught(new ConnectionFailedException(
                        xid,
                        Reason.TOO_SLOW,
                        "none of " + window.inFlight() + " RDMA Reads of " + bytesInFlight + " bytes has completed"
                                + " for " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                                + " ms, which is RpcRdmaConfig.peerTimeout"));
        ctx.close();
    }

    /** Starts what has room now. */
    private void goOn(ChannelHandlerContext ctx) {
        if (closed) {
            return;
        }
        for (CallAssembly next = waiting.peek(); next != null && hasRoomFor(next); next = waiting.peek()) {
            waiting.remove();
            start(ctx, next);
        }
        lineUp(ctx);
        if (window.isHalfEmpty() && window.fill(ctx)) {
            ctx.flush();
        }
    }

    /** Drops the calls that wait; those whose Reads are in flight go when these have ended. */
    public void onConnectionLost() {
        closed = true;
        standstill.close();
        room.close();
        started.clear();
        waiting.forEach(CallAssembly::release);
        waiting.clear();
        for (CallAssembly assembly : reading) {
            assembly.dropReads();
            if (assembly.readsInFlight == 0) {
                pulling.give(assembly.plan().pulledBytes());
                assembly.release();
            }
        }
        reading.clear();
    }
}
