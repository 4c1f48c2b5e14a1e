// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionFailedException.Reason;
import io.nettyrdma.rpc.session.ProcessMemory;
import io.nettyrdma.rpc.session.StandstillTimer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The place of a connection in the line for room in a sum of the process, and its duty to make room for others.
 *
 * <p>Only a connection that holds nothing of the sum stands in line. One that holds something waits for its own peer,
 * or it would keep others from the room that is free. A wait ends after {@link ResponderLimits#peerTimeoutNanos}. A
 * connection with room that others wait for ends if its peer makes no progress for a quarter of that time.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: none of the memory, whose user closes it.
 */
final class RoomInTurn {

    private final ProcessMemory memory;
    private final long patienceNanos;
    private final Consumer<ChannelHandlerContext> onTurn;
    private final StandstillTimer wait;
    private final StandstillTimer progress;

    /**
     * @param onTurn    there may be room; it calls {@link #lineUp} again
     * @param onTooLong the first that waits has waited too long
     */
    RoomInTurn(
            ProcessMemory memory,
            long peerTimeoutNanos,
            Consumer<ChannelHandlerContext> onTurn,
            Consumer<ChannelHandlerContext> onTooLong) {
        this.memory = memory;
        this.onTurn = onTurn;
        patienceNanos = peerTimeoutNanos / ProcessMemory.PATIENCE_PART;
        wait = new StandstillTimer(peerTimeoutNanos, onTooLong);
        progress = new StandstillTimer(patienceNanos, this::onStandstill);
    }

    /**
     * Stands in line, or leaves it.
     *
     * @param waits whether something waits that only the process has no room for
     */
    void lineUp(ChannelHandlerContext ctx, boolean waits) {
        if (!waits || memory.isCounted()) {
            memory.leave();
            wait.stop();
            return;
        }
        memory.await(ctx.executor(), () -> onTurn.accept(ctx));
        if (!wait.isRunning()) {
            wait.start(ctx);
        }
    }

    /**
     * The peer has begun or done something that makes room.
     *
     * @param goesOn whether it still has something to do
     */
    void onProgress(ChannelHandlerContext ctx, boolean goesOn) {
        if (goesOn) {
            progress.start(ctx);
        } else {
            progress.stop();
        }
    }

    private void onStandstill(ChannelHandlerContext ctx) {
        if (memory.isAwaited()) {
            ctx.pipeline()
                    .fireExceptionCaught(new ConnectionFailedException(
                            Reason.TOO_SLOW,
                            "the peer has neither taken a whole reply nor answered an RDMA Read for "
                                    + TimeUnit.NANOSECONDS.toMillis(patienceNanos)
                                    + " ms, a quarter of RpcRdmaConfig.peerTimeout, and other connections wait for the "
                                    + memory.bytes() + " bytes that this one holds; raise peerTimeout for slow links,"
                                    + " or -XX:MaxDirectMemorySize"));
            ctx.close();
        } else {
            progress.start(ctx);
        }
    }

    /** Leaves the line for good. */
    void close() {
        memory.leave();
        wait.close();
        progress.close();
    }
}
