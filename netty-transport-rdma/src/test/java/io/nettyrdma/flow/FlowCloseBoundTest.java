// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.flow.protocol.FlowExchange;
import io.nettyrdma.flow.protocol.FlowOffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a close waits for a peer that takes messages slowly, by the clock of an {@link EmbeddedChannel}. */
class FlowCloseBoundTest {

    private static final int RECEIVE_BYTES = 4096;
    private static final FlowOffer OFFER = new FlowOffer(1, RECEIVE_BYTES, 1 << 20);
    private static final int PIECE_BYTES = OFFER.pieceBytes();
    /** A message of so many pieces is a little longer than 64 KiB. */
    private static final int PIECES = 17;

    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelDuplexHandler());
    private final ChannelHandlerContext context = channel.pipeline().firstContext();
    private final FlowExchange exchange = new FlowExchange(OFFER, OFFER);
    private final FlowOutput output =
            new FlowOutput(context, new RdmaChannel(), exchange, OFFER, false, Unpooled::buffer);
    private final FlowClose closing = new FlowClose(context, output);
    private final List<ChannelFuture> writes = new ArrayList<>();
    /** The limit that the peer has told, from its window on. */
    private int limit = 1;

    @BeforeEach
    void freeze() {
        channel.freezeTime();
    }

    @AfterEach
    void release() {
        channel.finishAndReleaseAll();
    }

    private void closeBehind(int messages, int bytes) {
        for (int i = 0; i < messages; i++) {
            ChannelPromise write = channel.newPromise();
            output.write(Unpooled.buffer(bytes).writeZero(bytes), write);
            writes.add(write);
        }
        output.flush();
        closing.close(channel.newPromise());
    }

    private void advance(long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
    }

    /** The peer raises its limit by a message without data. */
    private void take(int messages) throws Exception {
        assertThat(channel.isOpen()).isTrue();
        for (int i = 0; i < messages; i++) {
            exchange.receive(0x2000L << 48 | ++limit);
            output.settle();
            closing.closeIfDone();
        }
    }

    /** Returns the flags of the last trailer that was sent, having released all messages. */
    private int lastFlags() {
        int flags = -1;
        ByteBuf sent;
        while ((sent = channel.readOutbound()) != null) {
            flags = sent.getUnsignedShort(sent.writerIndex() - Long.BYTES);
            sent.release();
        }
        return flags;
    }

    private void expectGivenUp() {
        assertThat(channel.isOpen()).isFalse();
        assertThat(writes.get(writes.size() - 1).cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(lastFlags()).isEqualTo(0x2400); // EMPTY and CUT, behind all others
    }

    @Test
    void peerThatTakesASmallMessageNowAndThenHoldsACloseForTenSeconds() throws Exception {
        closeBehind(1000, 1);
        for (int i = 0; i < 11; i++) {
            advance(900);
            take(1);
        }
        assertThat(channel.isOpen()).isTrue();
        advance(100);
        expectGivenUp();
    }

    @Test
    void peerThatTakesNothingHasTenSeconds() throws Exception {
        closeBehind(2, PIECE_BYTES);
        advance(9999);
        assertThat(channel.isOpen()).isTrue();
        advance(1);
        expectGivenUp();
    }

    @Test
    void readerThatPausesGetsAllMessages() throws Exception {
        closeBehind(3, PIECE_BYTES);
        advance(9999);
        take(2);
        assertThat(channel.isOpen()).isFalse();
        assertThat(writes).allMatch(ChannelFuture::isSuccess);
        assertThat(lastFlags()).isZero();
    }

    /** It takes the pieces of one message: what counts is bytes. */
    @Test
    void peerThatTakes64KibInTenSecondsHoldsACloseAsLongAsItDoes() throws Exception {
        closeBehind(1, 10 * PIECES * PIECE_BYTES);
        for (int i = 0; i < 9; i++) {
            advance(9999);
            take(PIECES);
            advance(1);
            assertThat(channel.isOpen()).isTrue();
        }
        take(PIECES - 2);
        advance(10_000);
        expectGivenUp();
    }
}
