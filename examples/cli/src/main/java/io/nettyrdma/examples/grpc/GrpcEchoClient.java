// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.grpc;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.PeerText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls {@link EchoService} over one connection and compares the replies with the requests.
 *
 * <p>Threading: opened and closed by one thread; calls run on the event loop. Ownership: owns the connection, but not
 * the event loop.
 */
public final class GrpcEchoClient implements AutoCloseable {

    private final InetSocketAddress server;
    private final Duration timeout;
    private final EventLoopGroup group;
    private final ManagedChannel channel;

    /**
     * Makes a client, which connects with its first call.
     *
     * @param group           one event loop that takes {@code type}; the caller shuts it down after the client
     * @param type            {@link io.nettyrdma.socket.RdmaSocketChannel}, or a class for TCP
     * @param timeout         for each call; for the first one, with the time to connect
     * @param maxMessageBytes longest reply
     * @param tls             offers {@code h2} by ALPN; null for clear text
     */
    public GrpcEchoClient(
            EventLoopGroup group,
            Class<? extends Channel> type,
            InetSocketAddress server,
            Duration timeout,
            int maxMessageBytes,
            @Nullable SslContext tls) {
        this.group = group;
        this.server = server;
        this.timeout = timeout;
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(server)
                .channelType(type)
                .eventLoopGroup(group)
                .directExecutor() // replies arrive on the event loop
                .maxInboundMessageSize(maxMessageBytes);
        if (tls == null) {
            builder.negotiationType(NegotiationType.PLAINTEXT);
        } else {
            builder.sslContext(tls);
        }
        channel = builder.build();
    }

    /**
     * Calls the service again and again. The first run also makes the connection.
     *
     * @param count      calls
     * @param inFlight   unanswered calls at a time
     * @param bytes      length of a request
     * @param onAnswer   gets the nanoseconds from a call to its reply, on the event loop
     * @return completes when all calls have their reply, or fails with a text for users
     */
    public Future<Void> run(int count, int inFlight, int bytes, LongConsumer onAnswer) {
        Run run = new Run(count, bytes, onAnswer);
        group.next().execute(() -> {
            for (int i = 0; i < Math.min(inFlight, count); i++) {
                run.call();
            }
        });
        return run.done;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    private IOException failure(Throwable failed) {
        Status status = Status.fromThrowable(failed);
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            return new IOException(Addresses.describeSilence(server, timeout.toSeconds()), failed);
        }
        StringBuilder text = new StringBuilder(Addresses.describe(server) + ": gRPC status " + status.getCode());
        if (status.getDescription() != null) {
            text.append(": ").append(status.getDescription());
        }
        Throwable cause = status.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause != null) {
            text.append(": ").append(PeerText.reason(cause));
        } else if (status.getCode() == Status.Code.UNAVAILABLE) {
            text.append("; use the server's transport, and TLS only if it does");
        }
        return new IOException(text.toString(), failed);
    }

    /** Keeps a number of calls in flight. Threading: the event loop. */
    private final class Run {

        private final int count;
        private final int bytes;
        private final LongConsumer onAnswer;
        private final Promise<Void> done = group.next().newPromise();
        private int started;
        private int answered;

        Run(int count, int bytes, LongConsumer onAnswer) {
            this.count = count;
            this.bytes = bytes;
            this.onAnswer = onAnswer;
        }

        void call() {
            try {
                byte[] request = new byte[bytes];
                Arrays.fill(request, (byte) started++);
                CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(timeout);
                Reply reply = new Reply(this, request);
                ClientCalls.asyncUnaryCall(channel.newCall(EchoService.ECHO, options), request, reply);
            } catch (RuntimeException | OutOfMemoryError e) {
                done.tryFailure(failure(e)); // or nobody would hear of it
            }
        }

        void onReply(boolean matches, long nanos) {
            if (!matches) {
                done.tryFailure(new IOException("reply of " + Addresses.describe(server) + " after " + answered
                        + " replies differs from its request"));
                return;
            }
            onAnswer.accept(nanos);
            answered++;
            if (answered == count) {
                done.trySuccess(null);
            } else if (started < count && !done.isDone()) {
                call();
            }
        }
    }

    /** Waits for one reply. */
    private final class Reply implements StreamObserver<byte[]> {

        private final Run run;
        private final byte[] request;
        private final long sentNanos = System.nanoTime();
        private boolean matches;

        Reply(Run run, byte[] request) {
            this.run = run;
            this.request = request;
        }

        @Override
        public void onNext(byte[] reply) {
            matches = Arrays.equals(request, reply);
        }

        @Override
        public void onError(Throwable failed) {
            run.done.tryFailure(failure(failed));
        }

        @Override
        public void onCompleted() {
            run.onReply(matches, System.nanoTime() - sentNanos);
        }
    }
}
