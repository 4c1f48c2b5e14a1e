// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.rpcping;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.IOException;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Makes a call again and again, a number of calls at a time.
 *
 * <p>Threading: the client's event loop.
 */
public final class Pinger {

    private final Supplier<Future<Integer>> call;
    private final int count;
    private final LongConsumer onAnswer;
    private final Promise<Void> done;
    private int started;
    private int answered;

    private Pinger(EventLoop loop, Supplier<Future<Integer>> call, int count, LongConsumer onAnswer) {
        this.call = call;
        this.count = count;
        this.onAnswer = onAnswer;
        done = loop.newPromise();
    }

    /**
     * Makes the calls.
     *
     * @param call     makes one, as {@link RpcClient#call} does
     * @param onAnswer is told of each answer how many nanoseconds after its call it came, by the event loop
     * @return completes when all calls were answered with success, or fails with the first that was not
     */
    public static Future<Void> run(
            EventLoop loop, Supplier<Future<Integer>> call, int count, int inFlight, LongConsumer onAnswer) {
        Pinger pinger = new Pinger(loop, call, count, onAnswer);
        loop.execute(() -> {
            for (int i = 0; i < Math.min(inFlight, count); i++) {
                pinger.callOnce();
            }
        });
        return pinger.done;
    }

    private void callOnce() {
        started++;
        long sent = System.nanoTime();
        call.get().addListener(future -> {
            if (!future.isSuccess()) {
                done.tryFailure(future.cause());
            } else if ((Integer) future.getNow() != RpcHeaders.SUCCESS) {
                done.tryFailure(new IOException("accept_stat " + future.getNow()));
            } else {
                onAnswer.accept(System.nanoTime() - sent);
                answered++;
                if (answered == count) {
                    done.trySuccess(null);
                } else if (started < count && !done.isDone()) {
                    callOnce();
                }
            }
        });
    }
}
