// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.authentication;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.NOT_AUTHENTICATED;
import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.TOO_MANY_PROPERTIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.kit.TestHandshake;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of host authentication, one by one, and peers that leave it out. */
class HostAuthenticationMessagesTest {

    private static final int XID = 0x700;
    private static final int GRANT = Rdma2.credits(64, 16);
    private static final String CALL = TestPipeline.callHex(XID);

    private static RpcRdmaConfig config(HostAuthentication hook) {
        return RpcRdmaConfig.builder()
                .versions(2, 2)
                .version2(v2 -> v2.hostAuthentication(hook))
                .build();
    }

    private static TestPipeline responder(HostAuthentication hook) {
        TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(config(hook)));
        pipeline.channel.pipeline().fireChannelActive();
        return pipeline;
    }

    private static void receive(TestPipeline pipeline, int flags, TransportProperty... properties) {
        pipeline.receive(new Rdma2Message.ConnProp(7, GRANT, flags, List.of(properties)), "");
    }

    private static TransportProperty token(int round) {
        return TransportProperty.hostAuthentication(TestHandshake.token(RpcRdmaRole.REQUESTER, round, 8));
    }

    /** Flags of the messages sent, and their lengths. */
    private static List<String> sent(TestPipeline pipeline) {
        List<String> sent = new ArrayList<>();
        for (ByteBuf message = pipeline.channel.readOutbound();
                message != null;
                message = pipeline.channel.readOutbound()) {
            assertThat(message.getInt(12)).as("type").isEqualTo(Rdma2.CONNPROP);
            assertThat(message.getUnsignedShort(10)).as("grant").isPositive();
            sent.add(message.getInt(16) + ":" + message.readableBytes());
            message.release();
        }
        return sent;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement("V2-092")
    void callAsFirstMessageIsRefusedWhereATokenIsDemanded(boolean whole) {
        TestPipeline pipeline = responder(TestHandshake.of(1, 8));
        String payload = whole ? CALL : CALL.substring(0, 32);

        assertThatThrownBy(() -> {
                    pipeline.receive(
                            new Rdma2Message.Msg(XID, GRANT, whole ? 0 : Rdma2.MORE, 0, ChunkLists.ABSENT), payload);
                    pipeline.channel.checkException();
                })
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED);

        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.channel.isOpen()).isFalse();
        pipeline.close();
    }

    /** A call that comes behind rejected properties only is one of a peer without properties. */
    @Test
    @Requirement("V2-092")
    void callBehindRejectedPropertiesIsRefused() {
        TestPipeline pipeline = responder(TestHandshake.of(1, 8));
        pipeline.receive(TestPipeline.words(7, 2, GRANT, 5, 0, 1, 2, 3, 4096));
        pipeline.dropSends();

        assertThatThrownBy(() -> {
                    pipeline.receive(new Rdma2Message.Msg(XID, GRANT, 0, 0, ChunkLists.ABSENT), CALL);
                    pipeline.channel.checkException();
                })
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED);

        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.delivered()).isEqualTo("none");
        pipeline.close();
    }

    /** A call between two rounds waits, and is not executed if the second one fails. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Requirement({"V2-116", "V2-187"})
    void callThatComesTooEarlyWaitsForTheEndOfTheHandshake(boolean accepted) {
        TestPipeline pipeline = responder(TestHandshake.of(2, 8));
        receive(pipeline, Rdma2.TPMORE, token(1));
        pipeline.receive(new Rdma2Message.Msg(XID, GRANT, 0, 0, ChunkLists.ABSENT), CALL);
        assertThat(pipeline.delivered()).isEqualTo("none");

        if (accepted) {
            receive(pipeline, 0, token(2));
            assertThat(pipeline.delivered()).isEqualTo(CALL);
        } else {
            assertThatThrownBy(() -> {
                        receive(pipeline, 0, token(3));
                        pipeline.channel.checkException();
                    })
                    .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                    .hasMessage("wrong token in round 2");
            assertThat(pipeline.delivered()).isEqualTo("none");
        }
        pipeline.dropSends();
        pipeline.close();
    }

    /** The peer cannot answer any more. */
    @Test
    @Requirement({"V2-092", "V2-187"})
    void peerThatEndsItsPropertiesBetweenRoundsIsRefused() {
        TestPipeline pipeline = responder(TestHandshake.of(2, 8));

        assertThatThrownBy(() -> {
                    receive(pipeline, 0, token(1));
                    pipeline.channel.checkException();
                })
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessage("the peer has ended host authentication before this side accepts it");

        pipeline.dropSends();
        pipeline.close();
    }

    /** C21 */
    @Test
    @Requirement("V2-092")
    void emptyTokenIsNone() {
        TestPipeline pipeline = responder(TestHandshake.of(1, 8));

        assertThatThrownBy(() -> {
                    receive(pipeline, 0, TransportProperty.hostAuthentication(new byte[0]));
                    pipeline.channel.checkException();
                })
                .hasFieldOrPropertyWithValue("reason", NOT_AUTHENTICATED)
                .hasMessageContaining("does not take part");

        pipeline.dropSends();
        pipeline.close();
        assertThatIllegalArgumentException().isThrownBy(() -> HandshakeStep.done(new byte[0]));
    }

    @Test
    @Requirement("V2-187")
    void peerWithoutEndIsCutOffBehind16Messages() {
        TestPipeline pipeline = responder((role, peer) -> TestHandshake.waiting());
        for (int i = 0; i < 16; i++) {
            receive(pipeline, Rdma2.TPMORE, token(1));
        }
        assertThat(pipeline.channel.isOpen()).isTrue();

        assertThatThrownBy(() -> {
                    receive(pipeline, Rdma2.TPMORE, token(1));
                    pipeline.channel.checkException();
                })
                .hasFieldOrPropertyWithValue("reason", TOO_MANY_PROPERTIES)
                .hasMessageEndingWith("the peer has too many properties");

        pipeline.dropSends();
        pipeline.close();
    }

    /** In the first message with the others, in one of its own, or in fragments: 4 is TPMORE, 2 is MORE. */
    @ParameterizedTest
    @CsvSource({
        "940, 0, '0:1024'",
        "941, 0, '4:72,0:980'",
        "4060, 0, '4:72,0:4096'",
        "4061, 0, '4:72,2:4096,0:24'",
        "10000, 0, '4:72,2:4096,2:4096,0:1884'",
        "10000, 1024, '4:72,2:1024,2:1024,2:1024,2:1024,2:1024,2:1024,2:1024,2:1024,2:1024,0:1000'",
        "10000, 8192, '4:72,2:4096,2:4096,0:1884'"
    })
    @Requirement({"V2-023", "V2-086", "V2-113", "V2-129", "V2-176", "V2-181"})
    void longTokenFollowsTheFirstMessageInAsFewMessagesAsThePeerTakes(
            int tokenBytes, int peerReceives, String expected) {
        TestPipeline pipeline = responder((role, peer) -> TestHandshake.presenting(tokenBytes));
        TransportProperty[] properties = peerReceives == 0
                ? new TransportProperty[0]
                : new TransportProperty[] {TransportProperty.receiveBytes(peerReceives)};

        receive(pipeline, 0, properties);

        assertThat(sent(pipeline)).containsExactly(expected.split(","));
        pipeline.close();
    }

    /** The credits of the peer, and its RBSIZ, come with its first message. */
    @Test
    @Requirement({"V2-022", "V2-023", "V2-129"})
    void requesterSendsALongTokenWhenItHasHeardOfItsPeer() {
        TestPipeline pipeline =
                new TestPipeline(new RpcRdmaRequesterHandler(config((role, peer) -> TestHandshake.presenting(5000))));
        pipeline.channel.pipeline().fireChannelActive();
        assertThat(sent(pipeline)).containsExactly("4:72");

        pipeline.receiveProperties(0, GRANT, TransportProperty.receiveBytes(2048));

        assertThat(sent(pipeline)).containsExactly("2:2048", "2:2048", "0:980");
        pipeline.close();
    }

    @Test
    @Requirement("V2-092")
    void noHookIsTakenWhereVersion1WouldDo() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RpcRdmaConfig.builder()
                        .versions(1, 2)
                        .version2(v2 -> v2.hostAuthentication(TestHandshake.of(1, 8)))
                        .build())
                .withMessageContaining("hostAuthentication is set and versions are 1 to 2")
                .withMessageContaining("use versions(2, 2)");
    }
}
