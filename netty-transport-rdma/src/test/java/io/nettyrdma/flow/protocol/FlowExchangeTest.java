// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one side of flow control sends, and what it takes. */
class FlowExchangeTest {

    private static final int WINDOW = 4;

    private final FlowExchange own = new FlowExchange(offer(WINDOW), offer(WINDOW));
    private final FlowExchange peer = new FlowExchange(offer(WINDOW), offer(WINDOW));

    private static FlowOffer offer(int window) {
        return new FlowOffer(window, 64, 1024);
    }

    /** Counts and flushes a message without data. */
    private static long empty(FlowExchange by) {
        long trailer = by.empty();
        by.onFlushed();
        return trailer;
    }

    /** Counts and flushes a message with data. */
    private static long data(FlowExchange by, boolean report) {
        long trailer = by.data(false, report);
        by.onFlushed();
        return trailer;
    }

    private static void expectViolation(FlowExchange by, long trailer, String message) {
        assertThatThrownBy(() -> by.receive(trailer))
                .isInstanceOf(FlowProtocolException.class)
                .hasMessageContaining(message);
    }

    private void send(int messages) throws Exception {
        for (int i = 0; i < messages; i++) {
            assertThat(peer.receive(data(own, false))).isTrue();
        }
    }

    private void consume(int messages) {
        for (int i = 0; i < messages; i++) {
            peer.consume();
        }
    }

    @Test
    void trailerHasTheLimitAndWhatHasArrived() throws Exception {
        own.receive(FlowTrailer.of(FlowTrailer.EMPTY, 0, WINDOW));
        assertThat(own.data(true, true)).isEqualTo(0xc000_0001_0000_0004L);
        assertThat(data(own, false)).isEqualTo(0x0000_0001_0000_0004L);
        assertThat(empty(own)).isEqualTo(0x2000_0001_0000_0004L);
        assertThat(empty(own)).isEqualTo(0x2800_0001_0000_0004L); // asks for an answer
    }

    /** Two others without data may be on their way. */
    @Test
    void messageThatSaysThatTheRestIsCutDoesNotCount() throws Exception {
        peer.receive(empty(own));
        peer.receive(empty(own));
        long cut = own.cut();
        assertThat(cut).isEqualTo(0x2400_0000_0000_0004L);
        assertThat(FlowTrailer.isCut(cut)).isTrue();
        assertThat(peer.receive(cut)).isFalse();
    }

    @Test
    void creditsEndWithTheWindow() throws Exception {
        send(WINDOW);
        assertThat(own.credits()).isZero();
        assertThatThrownBy(() -> data(own, false)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void limitIsDueWhenHalfOfTheWindowIsConsumed() throws Exception {
        send(WINDOW);
        consume(1);
        assertThat(peer.isEmptyDue()).isFalse();
        consume(1);
        assertThat(peer.isEmptyDue()).isTrue();
        own.receive(empty(peer));
        assertThat(own.credits()).isEqualTo(2);
        assertThat(peer.isEmptyDue()).isFalse();
    }

    @Test
    void messageWithDataRaisesTheLimitToo() throws Exception {
        send(WINDOW);
        consume(2);
        own.receive(data(peer, false));
        assertThat(own.credits()).isEqualTo(2);
        assertThat(peer.isEmptyDue()).isFalse();
    }

    @Test
    void reportIsDueWithItsMessage() throws Exception {
        peer.receive(data(own, true));
        int number = own.sent();
        assertThat(peer.isEmptyDue()).isFalse();
        consume(1);
        assertThat(peer.isEmptyDue()).isTrue();
        assertThat(own.isConsumedByPeer(number)).isFalse();
        own.receive(empty(peer));
        assertThat(own.isConsumedByPeer(number)).isTrue();
        assertThat(own.isConsumedByPeer(number + 1)).isFalse();
        assertThat(peer.isEmptyDue()).isFalse();
    }

    @Test
    void eachReportIsDueWithItsMessage() throws Exception {
        peer.receive(data(own, true));
        peer.receive(data(own, true));
        consume(1);
        own.receive(empty(peer));
        assertThat(peer.isEmptyDue()).isFalse();
        consume(1);
        assertThat(peer.isEmptyDue()).isTrue();
        own.receive(empty(peer));
        assertThat(own.isConsumedByPeer(own.sent())).isTrue();
    }

    @Test
    void messagesWithoutDataWaitForAnAnswer() throws Exception {
        for (int i = 0; i < 3; i++) {
            peer.receive(data(own, true));
        }
        consume(1);
        long first = empty(peer);
        consume(1);
        long second = empty(peer);
        consume(1);
        assertThat(peer.isEmptyDue()).isFalse(); // two are under way
        own.receive(first);
        assertThat(own.isEmptyDue()).isFalse();
        own.receive(second);
        assertThat(own.isEmptyDue()).isTrue();
        long answer = empty(own);
        assertThat(answer).isEqualTo(0x3000_0002_0000_0004L);
        assertThat(own.isEmptyDue()).isFalse();
        peer.receive(answer);
        assertThat(peer.isEmptyDue()).isTrue();
        own.receive(empty(peer));
        assertThat(own.isConsumedByPeer(own.sent())).isTrue();
        assertThat(own.isEmptyDue()).isFalse();
        assertThat(peer.isEmptyDue()).isFalse();
    }

    @Test
    void messageWithDataIsAnAnswerToo() throws Exception {
        own.receive(FlowTrailer.of(FlowTrailer.EMPTY | FlowTrailer.ASK, 0, WINDOW));
        assertThat(own.isEmptyDue()).isTrue();
        peer.receive(data(own, false) & ~(0xffffL << 32));
        assertThat(own.isEmptyDue()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            longs = {1L << 48, 1L << 58, 0x1000L << 48, 0x0800L << 48, 0xa000L << 48, 0x6000L << 48, 0x3800L << 48})
    void flagsThatMakeNoSenseAreAViolation(long flags) {
        expectViolation(own, flags | WINDOW, "flags of the peer's message: 0x");
    }

    @Test
    void messageBeyondTheLimitIsAViolation() throws Exception {
        for (int i = 0; i < WINDOW; i++) {
            own.receive(FlowTrailer.of(0, 0, WINDOW));
        }
        own.consume(); // but not announced
        expectViolation(own, FlowTrailer.of(0, 0, WINDOW), "more than the 4 messages of its limit");
    }

    @Test
    void limitThatGoesBackOrTooFarIsAViolation() throws Exception {
        send(2);
        expectViolation(own, FlowTrailer.of(0, 0, WINDOW - 1), "limit of the peer: 3 (expected: 4 to 6, modulo 2^32)");
        expectViolation(own, FlowTrailer.of(0, 0, WINDOW + 3), "limit of the peer: 7 (expected: 4 to 6, modulo 2^32)");
    }

    @Test
    void arrivalOfWhatWasNotSentIsAViolation() {
        empty(own);
        expectViolation(own, FlowTrailer.of(0, 2, WINDOW), "says that 2 messages without data have arrived");
    }

    @Test
    void thirdMessageWithoutDataIsAViolation() throws Exception {
        long empty = FlowTrailer.of(FlowTrailer.EMPTY, 0, WINDOW);
        own.receive(empty);
        own.receive(empty);
        expectViolation(own, empty, "more than 2 messages of the peer without data");
    }

    @Test
    void answerThatWasNotAskedForIsAViolation() {
        empty(own);
        expectViolation(own, FlowTrailer.of(FlowTrailer.EMPTY | FlowTrailer.ANSWER, 0, WINDOW), "not asked for one");
    }

    @Test
    void nothingIsConsumedBeforeItHasArrived() {
        assertThatThrownBy(own::consume).isInstanceOf(IllegalStateException.class);
    }
}
