// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a requester of version 2 makes of what {@code v2peer} answers when it is told to answer so. */
@Lab
class SecondHandAnswersLabTest {

    /** Of calls to which nothing is to come. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private static final int ECHO_BYTES = 40_000;

    @TempDir
    private static Path dir;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final CountDownLatch agreed = new CountDownLatch(1);
    private SecondHandPeer peer;

    @BeforeEach
    void make() throws Exception {
        peer = SecondHandPeer.make(dir);
    }

    @AfterEach
    void end() {
        assertThat(group.shutdownGracefully(0, 5, TimeUnit.SECONDS)
                        .awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    private static RpcRdmaConfig.Builder config() {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .versions(2, 2)
                .bindings(SecondHandProgram.BINDINGS)
                .version2(v2 -> v2.maxContinuedBytes(60_000))
                .callTimeout(Deadline.DURATION);
    }

    private Channel connect(LabGuest guest, RpcRdmaConfig config) throws Exception {
        return SecondHandPeer.connect(
                group, guest, new RpcRdmaRequesterHandler(config), new ChannelInboundHandlerAdapter() {
                    @Override
                    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                        if (event instanceof RpcRdmaParametersEvent) {
                            agreed.countDown();
                        }
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {} // the calls have it
                });
    }

    /** An ECHO that may be repeated; how it has ended. */
    private static String call(Channel channel, Duration limit) throws Exception {
        return call(channel, limit, null);
    }

    /** With these arguments in read chunks; none makes it a long call. */
    private static String call(Channel channel, Duration limit, @Nullable List<XdrItem> reducible) throws Exception {
        int xid = RpcRdmaRequester.of(channel).nextXid();
        ByteBuf call = SecondHandProgram.echo(ByteBufAllocator.DEFAULT, xid, ECHO_BYTES);
        ByteBuf expected = RpcHeaders.arguments(call).copy();
        RpcRdmaCall made = RpcRdmaCall.of(call).repeatable();
        Future<ByteBuf> reply =
                RpcRdmaRequester.of(channel).call(reducible == null ? made : made.reducing(reducible), limit);
        assertThat(reply.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        try {
            if (!reply.isSuccess()) {
                return reply.cause() instanceof RemoteErrorException error
                        ? error.code()
                        : reply.cause().getClass().getSimpleName();
            }
            ByteBuf answer = reply.getNow();
            boolean equal = RpcHeaders.results(answer).equals(expected);
            answer.release();
            return equal ? "echo" : "reply";
        } finally {
            expected.release();
        }
    }

    /** The first call is answered so; the one behind it is answered with its echo if the connection stays. */
    @ParameterizedTest
    @CsvSource({
        "read-chunks, 0, echo, echo",
        "write-chunks, 0, echo, echo",
        "segments, 1, echo, echo",
        "segments, 0, echo, echo",
        "write-resource, 50000, echo, echo",
        "write-resource, 1, RDMA2_ERR_WRITE_RESOURCE, echo",
        "reply-resource, 50000, echo, echo",
        "reply-resource, 4000000000, RDMA2_ERR_REPLY_RESOURCE, echo",
        "bad-xdr, 0, RDMA2_ERR_BAD_XDR, echo",
        "bad-propval, 0, RDMA2_ERR_BAD_PROPVAL, echo",
        "inval-htype, 0, RDMA2_ERR_INVAL_HTYPE, ConnectionLostException",
        "inval-cont, 0, RDMA2_ERR_INVAL_CONT, echo",
        "system, 0, RDMA2_ERR_SYSTEM, echo",
        "err-vers, 0, CallTimeoutException, echo",
        "err-vers-v2-layout, 0, ERR_VERS, ConnectionLostException",
        "unknown-error, 0, CallTimeoutException, echo",
        "error-then-reply, 0, reply, echo",
        "wrong-direction, 0, CallTimeoutException, echo",
        "unknown-htype, 0, CallTimeoutException, echo",
        "reserved-flags, 0, reply, echo",
        "refresh-then-reply, 0, reply, echo",
        "other-sequence, 0, MalformedRpcMessageException, echo",
        "endless-sequence, 0, MessageTooLargeException, any",
        "nothing, 0, CallTimeoutException, echo",
        "close, 0, ConnectionLostException, any"
    })
    @Requirement({"V2-133", "V2-139", "V2-147", "V2-158"})
    void callEndsAsTheAnswerSays(String answer, String number, String first, String second, LabGuest guest)
            throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "matches no call");
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "rejects a message");
        String options = "--seconds 20 --answer-with " + answer + " --error-value " + number + " --times 1";
        try (GuestCommand serving = peer.serve(guest, options)) {
            Channel channel = connect(guest, config().build());

            assertThat(agreed.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            boolean silent = first.equals("CallTimeoutException");
            assertThat(call(channel, silent ? SILENCE : Deadline.DURATION)).isEqualTo(first);
            if (!second.equals("any")) {
                assertThat(call(channel, Deadline.DURATION)).isEqualTo(second);
            }
            channel.close().sync();
            serving.await();
        }
    }

    /** What cannot go in a chunk any more goes in fragments. */
    @Test
    @Requirement("V2-140")
    void headerThatWasRefusedIsNotSentAgain(LabGuest guest) throws Exception {
        try (GuestCommand serving = peer.serve(guest, "--seconds 20 --answer-with inval-htype --times 1")) {
            Channel channel = connect(guest, config().build());
            for (String end : new String[] {"RDMA2_ERR_INVAL_HTYPE", "echo"}) {
                assertThat(call(channel, Deadline.DURATION, List.of())).isEqualTo(end);
            }
            channel.close().sync();
            serving.await();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "err-vers, RemoteErrorException",
        "err-vers-v2-layout, RemoteErrorException",
        "err-chunk, RemoteErrorException",
        "bad-xdr, ConnectionFailedException",
        "inval-htype, ConnectionFailedException",
        "endless, ConnectionFailedException",
        "nothing, ConnectionFailedException",
        "close, ConnectionLostException"
    })
    @Requirement({"V2-027", "V2-138"})
    void connectionEndsAsTheAnswerToItsPropertiesSays(String answer, String failure, LabGuest guest) throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "rejects a message");
        try (GuestCommand serving = peer.serve(guest, "--seconds 20 --props-with " + answer)) {
            Channel channel = connect(
                    guest,
                    TestLimits.negotiationTimeout(config(), answer.equals("nothing") ? SILENCE : Deadline.DURATION)
                            .build());

            assertThat(callOf(channel)).isEqualTo(failure);
            assertThat(channel.closeFuture().await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("closed")
                    .isTrue();
            serving.await();
        }
    }

    private static String callOf(Channel channel) throws Exception {
        Future<ByteBuf> reply =
                RpcRdmaRequester.of(channel).call(SecondHandProgram.echo(ByteBufAllocator.DEFAULT, 1, 1));
        assertThat(reply.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        Throwable cause = reply.cause();
        return cause.getCause() == null
                ? cause.getClass().getSimpleName()
                : cause.getCause().getClass().getSimpleName();
    }
}
