// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.nfs.protocol.RpcMessages;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/** What happens to replies on their way from the transport to the program. */
final class Replies {

    private Replies() {}

    /** Makes a result of a reply, from behind the RPC header on. */
    @FunctionalInterface
    interface Decoder<T> {
        T decode(ByteBuf in) throws IOException;
    }

    /**
     * {@code decoder} for a result of NFS or MOUNT: it begins with a status, and only that of 0 is followed by more.
     */
    static <T> Decoder<T> checked(String what, String statusPrefix, Decoder<T> decoder) {
        return in -> {
            int status = in.readInt();
            if (status != 0) {
                throw new Nfs3Exception(what, statusPrefix, status);
            }
            return decoder.decode(in);
        };
    }

    /** Takes over a reply of a server and returns what it says. */
    static <T> T decode(String what, String server, ByteBuf reply, Decoder<T> decoder) throws IOException {
        try {
            RpcMessages.skipToResults(reply, what);
            return decoder.decode(reply);
        } catch (RuntimeException e) {
            throw RpcMessages.makesNoSense(what, server, e);
        } finally {
            reply.release();
        }
    }

    /** Releases what a call may still bring, which nobody is interested in any more. */
    static void discard(Future<?> call) {
        call.addListener(done -> {
            if (done.isSuccess()) {
                ReferenceCountUtil.release(done.getNow());
            }
        });
    }

    /** An interrupt that a file's channel has seen first, told as any other. */
    static InterruptedException interrupted(ClosedByInterruptException cause) {
        Thread.interrupted(); // so that cleaning up can wait for its calls
        InterruptedException interrupted = new InterruptedException();
        interrupted.initCause(cause);
        return interrupted;
    }

    /** Waits for a call, not from an event loop; each call has a timeout of its own. */
    static <T> T await(Future<T> call) throws IOException, InterruptedException {
        call.await();
        if (call.isSuccess()) {
            return call.getNow();
        }
        Throwable cause = call.cause();
        throw cause instanceof IOException known ? known : new IOException(PeerText.reason(cause), cause);
    }
}
