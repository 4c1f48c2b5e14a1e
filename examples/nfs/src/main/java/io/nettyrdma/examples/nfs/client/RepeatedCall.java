// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.examples.nfs.client.Replies.Decoder;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * A call that is made again, with an XID of its own each time, while the server says that it is busy. The server has
 * not executed it then (RFC 1813, section 2.6), so that this does no harm to calls that are not idempotent either.
 *
 * <p>Threading: started by any thread, goes on where replies arrive. Ownership: owns the call until it ends.
 */
final class RepeatedCall<T> {

    private static final int XID_OFFSET = 0;

    private final String what;
    private final String server;
    private final ByteBuf call;
    private final Function<ByteBuf, Future<ByteBuf>> send;
    private final IntSupplier nextXid;
    private final JukeboxDelay delay;
    private final Decoder<T> decoder;
    private final Promise<T> result = ImmediateEventExecutor.INSTANCE.newPromise();

    private RepeatedCall(
            String what,
            String server,
            ByteBuf call,
            Function<ByteBuf, Future<ByteBuf>> send,
            IntSupplier nextXid,
            JukeboxDelay delay,
            Decoder<T> decoder) {
        this.what = what;
        this.server = server;
        this.call = call;
        this.send = send;
        this.nextXid = nextXid;
        this.delay = delay;
        this.decoder = decoder;
    }

    /**
     * Makes a call.
     *
     * @param server  what to call the server in errors
     * @param call    taken over
     * @param send    sends a call, which it takes over
     * @param nextXid gives XIDs for repetitions
     */
    static <T> Future<T> start(
            String what,
            String server,
            ByteBuf call,
            Function<ByteBuf, Future<ByteBuf>> send,
            IntSupplier nextXid,
            JukeboxDelay delay,
            Decoder<T> decoder) {
        RepeatedCall<T> repeated = new RepeatedCall<>(what, server, call, send, nextXid, delay, decoder);
        repeated.attempt();
        return repeated.result;
    }

    private void attempt() {
        Promise<T> attempt = ImmediateEventExecutor.INSTANCE.newPromise();
        attempt.addListener(done -> onEnded(attempt));
        Replies.decode(what, server, send.apply(call.retainedDuplicate()), decoder, attempt);
    }

    private void onEnded(Promise<T> attempt) {
        if (attempt.cause() instanceof Nfs3Exception refusal && refusal.is(Nfs3Status.JUKEBOX)) {
            long millis = delay.nextMillis();
            if (millis != JukeboxDelay.NEVER) {
                GlobalEventExecutor.INSTANCE.schedule(this::again, millis, TimeUnit.MILLISECONDS);
                return;
            }
        }
        call.release();
        Replies.pass(attempt, result);
    }

    private void again() {
        call.setInt(call.readerIndex() + XID_OFFSET, nextXid.getAsInt());
        attempt();
    }
}
