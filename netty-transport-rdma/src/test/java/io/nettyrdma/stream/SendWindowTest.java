// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * State of a window, by what is missing, and what an advance, an entry and a LIMIT make of it. A window is open, or it
 * lacks credits, a buffer, or both.
 */
class SendWindowTest {

    private static final int ENTRIES = 3;

    private final ByteBuf table = Unpooled.buffer().writeZero(ENTRIES * TargetEntry.BYTES);

    private SendWindow window(int credits, int firstBytes) {
        return new SendWindow(
                table,
                new SetupData(false, 112, 0, 0, ENTRIES, 0, 0, 1),
                new SetupData(false, credits, 0, 0, 2, 1000, 1, firstBytes));
    }

    private void entry(int index, long address, int key, int bytes) {
        TargetEntry.put(table, index * TargetEntry.BYTES, false, address, key, bytes);
    }

    private static void advanceTimes(SendWindow window, int times, int bytes) {
        for (int i = 0; i < times; i++) {
            window.advance(bytes);
        }
    }

    @Test
    void firstBufferIsThatOfTheSetupData() {
        SendWindow window = window(16, 5);
        assertThat(window.writableBytes()).isEqualTo(5);
        assertThat(window.address()).isEqualTo(1000);
        assertThat(window.key()).isEqualTo(1);
        window.advance(2);
        assertThat(window.writableBytes()).isEqualTo(3);
        assertThat(window.address()).isEqualTo(1002);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 7})
    void entriesTurnOverInTheirOrder(int bytes) throws Exception {
        SendWindow window = window(384, bytes);
        int published = 1;
        for (int round = 0; round < 10; round++) {
            // The last byte, and the buffer is left; the next one has not been published.
            assertThat(window.writableBytes()).isEqualTo(bytes);
            advanceTimes(window, bytes, 1);
            assertThat(window.writableBytes()).isZero();
            // Another entry is not the next one.
            entry((published + 1) % ENTRIES, 7, 7, 7);
            window.onLimit(384);
            assertThat(window.writableBytes()).isZero();
            entry((published + 1) % ENTRIES, 0, 0, 0);
            entry(published % ENTRIES, 2000 + published, published, bytes);
            window.onLimit(384);
            assertThat(window.address()).isEqualTo(2000 + published);
            assertThat(window.key()).isEqualTo(published);
            published++;
        }
    }

    @Test
    void entryThatIsThereAlreadyIsTakenUpAtOnce() {
        SendWindow window = window(384, 5);
        entry(1, 2000, 2, 7);
        entry(2, 3000, 3, 1);
        window.advance(5);
        assertThat(window.writableBytes()).isEqualTo(7);
        window.advance(7);
        assertThat(window.address()).isEqualTo(3000);
        window.advance(1);
        assertThat(window.writableBytes()).isZero();
    }

    @Test
    void entryOfTheRoundBeforeIsNoNewOne() throws Exception {
        SendWindow window = window(384, 1);
        entry(1, 2000, 2, 1);
        entry(2, 3000, 3, 1);
        entry(0, 4000, 4, 1);
        advanceTimes(window, 4, 1);
        window.onLimit(386);
        assertThat(window.writableBytes()).isZero();
        entry(1, 5000, 5, 1);
        window.onLimit(386);
        assertThat(window.address()).isEqualTo(5000);
    }

    @Test
    void bufferOfTheLargestSizeIsFilledByManyWords() {
        entry(1, -8, 2, -1);
        SendWindow window = window(384, 1);
        window.advance(1);
        long sum = 0;
        while (window.writableBytes() > 0) {
            sum += window.writableBytes();
            window.advance(window.writableBytes());
        }
        assertThat(sum).isEqualTo(0xffff_ffffL);
        assertThat(window.address()).isEqualTo(-8 + 0xffff_ffffL);
    }

    /** Credits of the peer and of this side, entries of both tables, the reserve. */
    @ParameterizedTest
    @CsvSource({
        "16, 112, 2, 8",
        "17, 112, 2, 8",
        "18, 112, 2, 9",
        "384, 112, 2, 117",
        "384, 384, 2, 192",
        "65534, 112, 2, 117",
        "65534, 65534, 2, 32767",
        "16, 112, 4, 8",
        "20, 112, 4, 10",
        "384, 112, 4, 10",
        "384, 112, 16, 22",
        "384, 112, 256, 192",
        "65534, 112, 256, 262"
    })
    void reserveIsKept(int credits, int ownCredits, int entries, int reserve) {
        SetupData own = new SetupData(false, ownCredits, 0, 0, entries, 0, 0, 1);
        SetupData peer = new SetupData(false, credits, 0, 0, entries, 0, 0, 1_000_000);
        assertThat(SendWindow.reserve(own, peer)).isEqualTo(reserve);
        SendWindow window = new SendWindow(table, own, peer);
        int sent = 0;
        for (; window.writableBytes() > 0; sent++) {
            window.advance(1);
        }
        assertThat(sent).isEqualTo(credits - reserve);
    }

    @Test
    void windowThatLacksBothWaitsForBoth() throws Exception {
        SendWindow window = window(16, 8);
        advanceTimes(window, 8, 1);
        entry(1, 2000, 2, 5);
        window.onLimit(16);
        assertThat(window.writableBytes()).isZero();
        window.onLimit(17);
        assertThat(window.writableBytes()).isEqualTo(5);
        window.advance(1);
        assertThat(window.writableBytes()).isZero();
        assertThat(window.address()).isEqualTo(2001);
    }

    @Test
    void limitAndSequenceWrap() throws Exception {
        SendWindow window = window(16, 1_000_000);
        for (int sent = 0; sent < 140_000; sent++) {
            // Also as C sends it, with more than 16 bits.
            window.onLimit(sent + 16);
            assertThat(window.writableBytes()).as("after %d words", sent).isEqualTo(1_000_000 - sent);
            window.advance(1);
        }
        advanceTimes(window, 7, 1);
        assertThat(window.writableBytes()).isZero();
    }

    @Test
    void limitMayBeRepeatedButGoesNeitherBackNorBeyondTheCredits() throws Exception {
        SendWindow window = window(16, 100);
        advanceTimes(window, 8, 1);
        window.onLimit(16);
        window.onLimit(20);
        window.onLimit(20);
        assertThatThrownBy(() -> window.onLimit(19))
                .isExactlyInstanceOf(StreamProtocolException.class)
                .hasMessage("LIMIT of the peer: 19 (expected: 20 to 24, modulo 65536)");
        assertThatThrownBy(() -> window.onLimit(25))
                .hasMessage("LIMIT of the peer: 25 (expected: 20 to 24, modulo 65536)");
        assertThatThrownBy(() -> window.onLimit(7)).isInstanceOf(StreamProtocolException.class);
        window.onLimit(24);
        assertThat(window.writableBytes()).isEqualTo(92);
    }

    @Test
    void moreThanIsWritableIsRefused() {
        SendWindow window = window(16, 5);
        assertThatThrownBy(() -> window.advance(6))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("bytes: 6 (expected: 1 to 5)");
        assertThatThrownBy(() -> window.advance(0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(window.writableBytes()).isEqualTo(5);
    }
}
