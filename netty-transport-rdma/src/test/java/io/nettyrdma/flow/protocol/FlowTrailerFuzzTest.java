// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Any trailers of a peer, in any order with what this side does. An input is a sequence of steps: an octet says what
 * the step is, the 8 octets of a trailer may follow.
 */
class FlowTrailerFuzzTest {

    private static final int WINDOW = 4;
    private static final int PEER_WINDOW = 3;
    private static final FlowOffer OWN = new FlowOffer(WINDOW, 64, 1024);
    private static final FlowOffer PEER = new FlowOffer(PEER_WINDOW, 64, 1024);

    private final FlowExchange exchange = new FlowExchange(OWN, PEER);
    private int sent;
    private int received;
    private int consumed;
    private int announced = WINDOW;
    private int confirmed;

    @FuzzTest
    void trailersAreTakenOrRefused(byte[] input) {
        FlowTrailerFuzzTest side = new FlowTrailerFuzzTest();
        ByteBuf steps = Unpooled.wrappedBuffer(input);
        while (steps.isReadable() && side.step(steps)) {
            side.check();
        }
    }

    /** Returns whether the connection goes on. */
    private boolean step(ByteBuf steps) {
        int step = steps.readUnsignedByte();
        switch (step % 6) {
            case 0 -> {
                if (exchange.credits() > 0) {
                    long flags = (step & 64) == 0 ? 0 : FlowTrailer.MORE;
                    flags |= (step & 128) == 0 ? 0 : FlowTrailer.REPORT;
                    sent++;
                    written(exchange.data((step & 64) != 0, (step & 128) != 0), flags);
                }
            }
            case 1 -> {
                if (consumed < received) {
                    exchange.consume();
                    consumed++;
                }
            }
            case 2 -> exchange.onFlushed();
            case 3 -> { // as the handler does it
                if (exchange.isEmptyDue() && exchange.hasUnflushed()) {
                    exchange.onFlushed();
                }
                if (exchange.isEmptyDue()) {
                    long trailer = exchange.empty();
                    written(trailer, trailer & (FlowTrailer.EMPTY | FlowTrailer.ANSWER | FlowTrailer.ASK));
                    exchange.onFlushed();
                }
            }
            default -> {
                return steps.readableBytes() >= FlowTrailer.BYTES && receive(steps.readLong());
            }
        }
        return true;
    }

    private void written(long trailer, long flags) {
        announced = consumed + WINDOW;
        assertThat(trailer & 0xffff_0000_ffff_ffffL).isEqualTo(flags | announced);
        try {
            FlowTrailer.check(trailer);
        } catch (FlowProtocolException e) {
            throw new AssertionError("this side sends what no peer may send", e);
        }
    }

    private boolean receive(long trailer) {
        int limit = sent + exchange.credits();
        boolean data;
        try {
            data = exchange.receive(trailer);
        } catch (FlowProtocolException e) {
            assertThat(e.getMessage()).isNotBlank();
            return false;
        }
        assertThat(data).isEqualTo(FlowTrailer.hasData(trailer));
        assertThat(FlowTrailer.limit(trailer)).isGreaterThanOrEqualTo(limit).isEqualTo(sent + exchange.credits());
        if (data) {
            received++;
        }
        return true;
    }

    private void check() {
        assertThat(exchange.sent()).isEqualTo(sent);
        assertThat(exchange.credits()).isBetween(0, PEER_WINDOW);
        assertThat(received).isBetween(consumed, announced);
        int before = confirmed;
        confirmed = sent + exchange.credits() - PEER_WINDOW;
        assertThat(confirmed).isBetween(before, sent);
        assertThat(exchange.isConsumedByPeer(confirmed)).isTrue();
        assertThat(exchange.isConsumedByPeer(confirmed + 1)).isFalse();
    }
}
