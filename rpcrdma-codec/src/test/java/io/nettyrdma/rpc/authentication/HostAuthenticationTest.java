// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.authentication;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.NOT_AUTHENTICATED;
import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.NOT_NEGOTIATED;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestHandshake;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sides of this project that authenticate each other, or do not. */
@Over
@ExtendWith(NoVerbsLeft.class)
final class HostAuthenticationTest {

    private static final int CALLS = 50;
    private static final String ABSENT = "the peer does not take part in host authentication, which this side demands";

    private final EventLoopGroup group = LoopsOver.group(2);
    private final AtomicInteger executed = new AtomicInteger();
    private final BlockingQueue<Throwable> responderFailures = new LinkedBlockingQueue<>();

    @AfterEach
    void end() {
        RdmaLoopback.end(group);
    }

    private static RpcRdmaConfig.Builder config(@Nullable HostAuthentication hook) {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .bindings(TestProgram.BINDINGS)
                .versions(2, 2)
                .version2(v2 -> v2.hostAuthentication(hook));
    }

    private Channel listen(RpcRdmaConfig responder) throws Exception {
        return RdmaLoopback.listen(group, pipeline -> {
            pipeline.addLast(new RpcRdmaResponderHandler(responder));
            pipeline.addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                @Override
                protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
                    executed.incrementAndGet();
                    ctx.writeAndFlush(TestProgram.reply(call));
                }

                @Override
                public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                    responderFailures.add(cause);
                }
            });
        });
    }

    private Channel connect(RpcRdmaConfig requester, RpcRdmaConfig responder) throws Exception {
        return RdmaLoopback.connect(group, listen(responder).localAddress(), pipeline -> {
            pipeline.addLast(new RpcRdmaRequesterHandler(requester));
            pipeline.addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {} // the calls have it
            });
        });
    }

    private void checkCalls(Channel channel) throws Exception {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            replies.add(requester.call(TestProgram.call(requester.nextXid(), List.of(), List.of(), i * 4)));
        }
        for (Future<ByteBuf> reply : replies) {
            RdmaLoopback.answered(reply, "call");
        }
        assertThat(executed).hasValue(CALLS);
        RdmaLoopback.await(channel.close(), "close");
    }

    /** Why a call fails, and that it is not executed. */
    private Throwable failure(Channel channel) throws Exception {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        Throwable failure =
                RdmaLoopback.failure(requester.call(TestProgram.call(requester.nextXid(), List.of(), List.of(), 0)));
        RdmaLoopback.await(channel.closeFuture(), "end");
        assertThat(executed).hasValue(0);
        return failure instanceof ConnectionLostException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private Throwable responderFailure() throws Exception {
        Throwable failure = responderFailures.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(failure).isNotNull();
        return failure;
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 64",
        "14, 1, 64",
        "1, 1000, 64",
        "14, 1000, 64",
        "1, 10000, 64",
        "4, 10000, 64",
        "14, 1000, 1",
        "4, 10000, 1"
    })
    @Requirement({"V2-023", "V2-092", "V2-116", "V2-129", "V2-176", "V2-187"})
    void callsBeginBehindTheHandshake(int rounds, int tokenBytes, int credits) throws Exception {
        HostAuthentication hook = TestHandshake.of(rounds, tokenBytes);

        checkCalls(connect(
                config(hook).build(), config(hook).creditsGranted(credits).build()));

        assertThat(responderFailures).isEmpty();
    }

    /** A side that presents a token, however long, and demands none. */
    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 10_000})
    @Requirement({"V2-092", "V2-129"})
    void tokensThatNobodyDemandsAreIgnored(int tokenBytes) throws Exception {
        HostAuthentication presents = (role, peer) -> TestHandshake.presenting(tokenBytes);

        checkCalls(connect(config(presents).build(), config(null).build()));
        executed.set(0);
        checkCalls(connect(config(null).build(), config(presents).build()));
    }

    @Test
    @Requirement("V2-092")
    void requesterEndsAConnectionWhoseResponderTakesNoPart() throws Exception {
        Channel channel =
                connect(config(TestHandshake.of(1, 8)).build(), config(null).build());

        assertThat(failure(channel))
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessage(ABSENT);
    }

    @Test
    @Requirement("V2-092")
    void responderEndsAConnectionWhoseRequesterTakesNoPart() throws Exception {
        Channel channel =
                connect(config(null).build(), config(TestHandshake.of(1, 8)).build());

        assertThat(failure(channel)).isInstanceOf(ConnectionLostException.class);
        assertThat(responderFailure())
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessage(ABSENT);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    @Requirement("V2-187")
    void responderRefusesAWrongTokenOfAnyRound(int round) throws Exception {
        Channel channel = connect(
                config(TestHandshake.wrongIn(round, 5)).build(),
                config(TestHandshake.of(5, 8)).build());

        assertThat(failure(channel)).isInstanceOf(ConnectionLostException.class);
        assertThat(responderFailure())
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessage("wrong token in round " + round);
    }

    /** In the last round also, in which the token comes with the end of the responder's properties. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    @Requirement("V2-187")
    void requesterRefusesAWrongTokenOfAnyRound(int round) throws Exception {
        Channel channel = connect(
                config(TestHandshake.of(5, 8)).build(),
                config(TestHandshake.wrongIn(round, 5)).build());

        assertThat(failure(channel))
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessage("wrong token in round " + round);
    }

    @Test
    @Requirement("V2-187")
    void requesterRefusesAResponderThatIsDoneTooSoon() throws Exception {
        Channel channel = connect(
                config(TestHandshake.of(5, 8)).build(),
                config(TestHandshake.of(2, 8)).build());

        assertThat(failure(channel)).hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED);
    }

    @Test
    @Requirement("V2-187")
    void sidesThatWaitForEachOtherEndByTheNegotiationTimeout() throws Exception {
        HostAuthentication waits = (role, peer) -> TestHandshake.waiting();
        Channel channel = connect(
                TestLimits.negotiationTimeout(config(waits), Duration.ofMillis(300))
                        .build(),
                TestLimits.negotiationTimeout(config(waits), Deadline.DURATION).build());

        assertThat(failure(channel))
                .hasFieldOrPropertyWithValue("reason", NOT_NEGOTIATED)
                .hasMessageEndingWith("host authentication did not end within 300 ms");
    }

    /** Short tokens begin in the first message of the requester, so that the responder needs more messages. */
    @Test
    @Requirement("V2-187")
    void endlessHandshakeIsEndedByTheResponder() throws Exception {
        HostAuthentication endless = TestHandshake.of(Integer.MAX_VALUE, 8);

        assertThat(failure(connect(config(endless).build(), config(endless).build())))
                .isInstanceOf(ConnectionLostException.class);
        assertThat(responderFailure())
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessage("the handshake of this side takes 17 messages and 436 bytes of properties, which exceeds "
                        + "16 or 65536");
    }

    @Test
    @Requirement("V2-187")
    void endlessHandshakeIsEndedByTheRequester() throws Exception {
        HostAuthentication endless = TestHandshake.of(Integer.MAX_VALUE, 1000);

        assertThat(failure(connect(config(endless).build(), config(endless).build())))
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessageStartingWith("the handshake of this side takes 17 messages");
    }

    @ParameterizedTest
    @ValueSource(strings = {"begin", "start", "receive", "no handshake", "no step"})
    @Requirement("V2-092")
    void hookThatFailsEndsTheConnectionByName(String where) throws Exception {
        Channel channel = connect(
                config(failing(where)).build(), config(TestHandshake.of(1, 8)).build());

        assertThat(failure(channel))
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessageStartingWith("the hook of RpcRdmaVersion2Settings.hostAuthentication fails: java.lang.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"begin", "start", "receive", "no handshake", "no step"})
    @Requirement("V2-092")
    void hookOfAResponderThatFailsLetsNobodyIn(String where) throws Exception {
        Channel channel = connect(
                config(TestHandshake.of(1, 8)).build(), config(failing(where)).build());

        assertThat(failure(channel)).isInstanceOf(ConnectionLostException.class);
        assertThat(responderFailure()).hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED);
    }

    @SuppressWarnings("NullAway") // a program may do so
    private static HostAuthentication failing(String where) {
        return (role, peer) -> switch (where) {
            case "begin" -> throw new IllegalStateException("begin");
            case "no handshake" -> null;
            case "no step" -> TestHandshake.starting(() -> null);
            case "start" ->
                TestHandshake.starting(() -> {
                    throw new StackOverflowError("start");
                });
            default ->
                new Handshake() {
                    @Override
                    public HandshakeStep start() {
                        return HandshakeStep.goOn(TestHandshake.token(role, 1, 8));
                    }

                    @Override
                    public HandshakeStep receive(byte[] token) {
                        throw new IllegalStateException("receive");
                    }
                };
        };
    }

    /** Another connection would be refused for the same reason. */
    @Test
    @Requirement("V2-092")
    void clientDoesNotConnectAgainToAResponderThatItRefuses() throws Exception {
        Channel listener = listen(config(null).build());
        RpcRdmaClient client = RdmaLoopback.client(group, listener.localAddress())
                .config(config(TestHandshake.of(1, 8)).build())
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5))
                .build();

        Throwable failure = RdmaLoopback.failure(
                client.call(RpcRdmaCall.of(TestProgram.call(7, List.of(), List.of(), 0)), Deadline.DURATION));

        assertThat(failure)
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessageEndingWith(ABSENT);
        RdmaLoopback.await(client.closeAsync(), "close");
    }
}
