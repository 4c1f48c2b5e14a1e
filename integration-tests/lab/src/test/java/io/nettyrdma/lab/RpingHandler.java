// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaMemory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What both sides of {@link Rping} share: registered buffers, counting verified rounds, and the result, which is there
 * when the connection has ended. One instance serves one connection.
 *
 * <p>Threading: the channel's event loop, but for {@link #awaitRounds}. Ownership: of its registered memory, until the
 * connection ends.
 */
abstract class RpingHandler extends SimpleChannelInboundHandler<ByteBuf> {
    final int size;

    /** Fails the connection if a write fails; else its failure would show as a missing answer only. */
    final ChannelFutureListener written = future -> {
        if (!future.isSuccess()) {
            fail(future.cause());
            future.channel().close();
        }
    };

    private final List<RdmaMemory> memories = new ArrayList<>();
    private final CompletableFuture<Integer> result = new CompletableFuture<>();
    private volatile int rounds;

    RpingHandler(int size) {
        this.size = size;
    }

    /** Rounds whose data was verified. */
    int rounds() {
        return rounds;
    }

    /** Compares a registered buffer with the ping data of the current round. */
    void verify(RdmaMemory memory, String operation) throws IOException {
        byte[] expected = Rping.pingData(rounds, size);
        byte[] found = new byte[size];
        memory.content().getBytes(0, found);
        int mismatch = Arrays.mismatch(expected, found);
        if (mismatch >= 0) {
            throw new IOException("round " + rounds + ": wrong octet " + mismatch + " of " + size + " after "
                    + operation + ": " + found[mismatch] + ", not " + expected[mismatch]);
        }
    }

    void roundDone() {
        rounds++; // one writer, the event loop
    }

    RdmaMemory allocate(ChannelHandlerContext context, RdmaAccess access) throws IOException {
        RdmaMemory memory = ((RdmaChannel) context.channel()).allocateMemory(size, access);
        memories.add(memory);
        return memory;
    }

    /** Fails the exchange, and prints why: the test that reports the failure may be at the other end. */
    void fail(Throwable cause) {
        if (result.completeExceptionally(cause)) {
            System.out.println(getClass().getSimpleName() + " failed after " + rounds + " rounds: " + cause);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        memories.forEach(RdmaMemory::release);
        memories.clear();
        result.complete(rounds);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(cause);
        context.close();
    }

    /** Waits for the end of the connection, which has to come after {@code expected} verified rounds. */
    void awaitRounds(int expected, Duration limit) throws InterruptedException {
        int done = awaitRounds(limit);
        if (done != expected) {
            throw new AssertionError(getClass().getSimpleName() + ": the connection ended after " + done
                    + " rounds, not " + expected + ", and no reason was given (channelInactive only)");
        }
    }

    /** Waits for the end of the connection and returns the number of verified rounds. */
    private int awaitRounds(Duration limit) throws InterruptedException {
        try {
            return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(
                    getClass().getSimpleName() + ": " + rounds + " rounds and no end of the connection after "
                            + limit.toSeconds() + " s",
                    e);
        } catch (ExecutionException e) {
            throw new AssertionError(
                    getClass().getSimpleName() + " failed after " + rounds + " rounds: " + e.getCause(), e.getCause());
        }
    }
}
