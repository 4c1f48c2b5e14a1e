// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.Trait;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Private data of a peer that no stream can be made with. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
@NotOver(
        value = Lane.SIW,
        reason = "not tried: the peer is a script over a TCP socket, and siw answers some of its faults itself")
@NotOver(value = Lane.RXE, reason = "the peer is a script that speaks iWARP over a TCP socket")
final class StreamSetupViolationTest extends StreamPeerContract {

    private static Arguments row(String name, String message, UnaryOperator<byte[]> change) {
        return Arguments.of(name, message, change.apply(StreamPeer.offer()));
    }

    private static UnaryOperator<byte[]> octets(int at, int... values) {
        return offer -> {
            for (int i = 0; i < values.length; i++) {
                offer[at + i] = (byte) values[i];
            }
            return offer;
        };
    }

    static Stream<Arguments> violations() {
        return Stream.of(
                row("0 octets", "octets of the peer's private data: 0", offer -> new byte[0]),
                row("39 octets", "octets of the peer's private data: 39", offer -> Arrays.copyOf(offer, 39)),
                row("version 2", "version of the peer: 2", octets(0, 2)),
                row("credits 15", "credits: 15", octets(2, 0, 15)),
                row("1 entry", "tableEntries: 1 ", octets(20, 0, 0, 0, 1)),
                row("2^32 - 1 entries", "tableEntries: 4294967295", octets(20, 0xff, 0xff, 0xff, 0xff)),
                row("first buffer of 0 octets", "bufferBytes: 0", octets(36, 0, 0, 0, 0)));
    }

    static Stream<Arguments> violationsOfReplies() {
        return Stream.concat(violations(), Stream.of(row("NET", "NET of the peer: 1", octets(1, 3))));
    }

    private void assumeLengthIsSeen(byte[] offer) {
        boolean pads = provider == TestProvider.STRICT && StrictDevice.shared().has(Trait.PRIVATE_DATA_PADDED);
        assumeTrue(offer.length >= 40 || !pads, "needs private data as it was sent");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("violations")
    void requestIsRejected(String name, String message, byte[] offer) throws Exception {
        assumeLengthIsSeen(offer);
        meet(Role.INITIATOR, offer);
        var reply = peer.frame(true);
        assertThat(reply.rejected()).isTrue();
        assertThat(reply.privateData()).isEmpty();
        ChannelPair.await(channel.closeFuture(), "close");
        assertThat(tested.active.getCount()).isOne();
        assertThat(tested.failures).isEmpty();
        peer.expectEnd();
    }

    /** A peer whose reply is not that of a byte stream gets no word, which it would take for data. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("violationsOfReplies")
    void replyFailsTheConnectAfterDisconnect(String name, String message, byte[] offer) throws Exception {
        assumeLengthIsSeen(offer);
        meet(Role.RESPONDER, StreamPeer.offer());
        peer.reply(offer);
        if (offer.length == 40 && offer[0] == 1) {
            peer.expectDisconnect();
            assertThat(peer.words).hasSize(1);
        } else {
            peer.expectEnd();
            assertThat(peer.words).isEmpty();
        }
        assertThat(catchThrowable(() -> ChannelPair.await(connected, "connect")))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(RdmaStreamProtocolException.class)
                .hasMessageContaining(message);
        ChannelPair.await(channel.closeFuture(), "close");
        assertThat(tested.active.getCount()).isOne();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void zerosBehindThePrivateDataAreIgnored(Role role) throws Exception {
        establish(role, Arrays.copyOf(StreamPeer.offer(), 56));
        exchange();
        ChannelPair.await(channel.close(), "close");
        peer.expectDisconnect();
    }

    static Stream<Arguments> strangeButRight() {
        return Stream.of(
                        row("least", "", offer -> octets(36, 0, 0, 0, 1)
                                .apply(octets(20, 0, 0, 0, 2)
                                        .apply(octets(2, 0, 16).apply(offer)))),
                        row("most", "", offer -> octets(36, 0xff, 0xff, 0xff, 0xff)
                                .apply(octets(20, 0, 0, 1, 0)
                                        .apply(octets(2, 0xff, 0xff).apply(offer)))),
                        row("reserved octets", "", octets(4, 1, 2, 3, 4)),
                        row("unknown flags", "", octets(1, 0xfe)),
                        row("no IOMAP", "", octets(1, 0)))
                .flatMap(row ->
                        Arrays.stream(Role.values()).map(role -> Arguments.of(row.get()[0], role, row.get()[2])));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("strangeButRight")
    void strangeValuesThatAreRightMakeAStream(String name, Role role, byte[] offer) throws Exception {
        establish(role, offer);
        exchange();
        ChannelPair.await(channel.close(), "close");
        peer.expectDisconnect();
    }

    /** The side that asks chooses the byte order. */
    @Test
    void networkOrderOfARequestIsAnswered() throws Exception {
        meet(Role.INITIATOR, octets(1, 3).apply(StreamPeer.offer()));
        peer.order = ByteOrder.BIG_ENDIAN;
        assertThat(peer.expectReply()[1] & 1).isOne();
        peer.publish();
        exchange();
        String text = "x".repeat(StreamPeer.BUFFER_BYTES + 100); // into the buffer of an entry
        ChannelPair.await(channel.writeAndFlush(ChannelPair.text(text)), "write");
        assertThat(peer.receiveText(6 + text.length())).isEqualTo("answer" + text);
        peer.word(0);
        expectViolation("word of the peer: 0x0 ");
    }
}
