// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the peer may do to a window with no, one or several buffers, with and without credits; and what it is owed. */
class ReceiveWindowTest {

    private static final long PEER_TABLE = 0x10_0000;

    private final ByteBuf out = Unpooled.buffer().writeZero(TargetEntry.BYTES);

    private static ReceiveWindow window(int credits, int ownEntries, int peerEntries, int firstBytes) {
        return new ReceiveWindow(
                new SetupData(false, credits, 0, 0, ownEntries, 1000, 1, firstBytes),
                new SetupData(false, 384, PEER_TABLE, 0, peerEntries, 0, 0, 1));
    }

    private void publishAndSend(ReceiveWindow window, long address, int key, int bytes) {
        window.publish(address, key, bytes);
        window.putEntry(out, 0);
        window.takeLimit();
    }

    @Test
    void dataThatThePeerHasNotWrittenIsRefused() throws Exception {
        SetupData own = new SetupData(false, 100, 0x1000, 1, 4, 0x2000, 2, 100);
        ReceiveWindow window = new ReceiveWindow(own, own);
        window.fill(10, 10);
        assertThatThrownBy(() -> window.fill(10, 19))
                .isExactlyInstanceOf(StreamProtocolException.class)
                .hasMessage("DATA of the peer: 10 bytes (expected: at most 9, which is what the peer has written)");
        window.fill(9, 19);
        assertThat(window.filledBytes()).isEqualTo(19);
    }

    @Test
    void secondBufferGoesToEntryOneWithALimit() {
        ReceiveWindow window = window(112, 4, 2, 5);
        assertThat(window.isEntryOwed()).isFalse();
        assertThat(window.isLimitDue()).isFalse();
        window.publish(0x7ff44a6d4000L, 0xb989f500, 524_288);
        assertThat(window.isEntryOwed()).isTrue();
        assertThat(window.isLimitDue()).isFalse();
        assertThat(window.putEntry(out, 0)).isEqualTo(PEER_TABLE + 16);
        assertThat(TargetEntry.address(out, 0, false)).isEqualTo(0x7ff44a6d4000L);
        assertThat(TargetEntry.key(out, 0, false)).isEqualTo(0xb989f500);
        assertThat(TargetEntry.bytes(out, 0, false)).isEqualTo(524_288);
        assertThat(window.isEntryOwed()).isFalse();
        assertThat(window.isLimitDue()).isTrue();
        assertThat(window.takeLimit()).isEqualTo(StreamWord.limit(112));
        assertThat(window.isLimitDue()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"4, 2, 2", "4, 4, 4", "2, 256, 2", "256, 256, 256", "16, 3, 3"})
    void smallerTableSaysHowManyBuffersArePublished(int own, int peer, int expected) {
        ReceiveWindow window = window(112, own, peer, 5);
        int published = 1;
        for (; window.mayPublish(); published++) {
            window.publish(0, 0, 5);
        }
        assertThat(published).isEqualTo(expected);
        assertThatThrownBy(() -> window.publish(0, 0, 5))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(expected + " buffers are published; another may be published when one of them is full");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 7})
    void buffersAreFilledInTheirOrderAndEntriesWrap(int bytes) throws Exception {
        ReceiveWindow window = window(65_534, 2, 3, bytes);
        List<Long> remotes = new ArrayList<>();
        long expected = 1000;
        for (int n = 0; n < 7; n++) {
            window.publish(2000 + n, n, bytes);
            remotes.add((window.putEntry(out, 0) - PEER_TABLE) / 16);
            assertThat(window.mayPublish()).isFalse();
            assertThat(window.address()).isEqualTo(expected);
            for (int i = 0; i < bytes; i++) {
                assertThat(window.filledBytes()).isEqualTo(i);
                assertThat(window.fill(1, ReceiveWindow.UNKNOWN)).isEqualTo(i == bytes - 1);
            }
            assertThat(window.filledBytes()).isZero();
            expected = 2000 + n;
        }
        assertThat(remotes).containsExactly(1L, 2L, 0L, 1L, 2L, 0L, 1L);
    }

    @Test
    void dataHasToFitTheBufferThatIsBeingFilled() throws Exception {
        ReceiveWindow window = window(16, 2, 2, 5);
        publishAndSend(window, 2000, 2, 100);
        window.fill(3, ReceiveWindow.UNKNOWN);
        assertThatThrownBy(() -> window.fill(3, ReceiveWindow.UNKNOWN))
                .isExactlyInstanceOf(StreamProtocolException.class)
                .hasMessage("DATA of the peer: 3 bytes (expected: 1 to 2)");
        assertThatThrownBy(() -> window.fill(0, ReceiveWindow.UNKNOWN))
                .hasMessage("DATA of the peer: 0 bytes (expected: 1 to 2)");
        assertThat(window.fill(2, ReceiveWindow.UNKNOWN)).isTrue();
        assertThat(window.address()).isEqualTo(2000);
        assertThat(window.fill(100, ReceiveWindow.UNKNOWN)).isTrue();
    }

    @Test
    void dataBeforeTheEntryOfItsBufferIsRefused() throws Exception {
        ReceiveWindow window = window(16, 2, 2, 5);
        window.fill(5, ReceiveWindow.UNKNOWN);
        assertThatThrownBy(() -> window.fill(1, ReceiveWindow.UNKNOWN))
                .hasMessage("DATA of the peer: 1 bytes (expected: none before an entry)");
        window.publish(2000, 2, 5);
        assertThatThrownBy(() -> window.fill(1, ReceiveWindow.UNKNOWN)).isInstanceOf(StreamProtocolException.class);
        window.putEntry(out, 0);
        assertThat(window.fill(1, ReceiveWindow.UNKNOWN)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {16, 17, 112, 65_534})
    void limitIsDueWhenHalfOfTheCreditsAreUsed(int credits) throws Exception {
        ReceiveWindow window = window(credits, 2, 2, 1_000_000);
        int received = 0;
        for (int n = 0; n < 3; n++) {
            for (int i = 0; i < credits / 2; i++) {
                assertThat(window.isLimitDue()).isFalse();
                if (i % 2 == 0) {
                    window.fill(1, ReceiveWindow.UNKNOWN);
                } else {
                    window.countIomap();
                }
                received++;
            }
            assertThat(window.isLimitDue()).isTrue();
            assertThat(window.takeLimit()).isEqualTo(StreamWord.limit(received + credits));
        }
    }

    @Test
    void peerMayUseAllOfItsCreditsAndNoMore() throws Exception {
        ReceiveWindow window = window(16, 2, 2, 100);
        for (int i = 0; i < 15; i++) {
            window.fill(1, ReceiveWindow.UNKNOWN);
        }
        window.countIomap();
        assertThatThrownBy(() -> window.fill(1, ReceiveWindow.UNKNOWN))
                .isExactlyInstanceOf(StreamProtocolException.class)
                .hasMessage("DATA of the peer: number 16 (expected: less than the limit, 16)");
        assertThatThrownBy(window::countIomap)
                .hasMessage("IOMAP of the peer: number 16 (expected: less than the limit, 16)");
        assertThat(window.takeLimit()).isEqualTo(StreamWord.limit(32));
        window.fill(1, ReceiveWindow.UNKNOWN);
    }

    @Test
    void limitWraps() throws Exception {
        ReceiveWindow window = window(65_534, 2, 2, 1_000_000);
        for (int received = 1; received <= 140_000; received++) {
            window.fill(1, ReceiveWindow.UNKNOWN);
            assertThat(StreamWord.value(window.takeLimit())).isEqualTo(received + 65_534 & 0xffff);
        }
    }

    @Test
    void whatTheCallerGetsWrongIsRefused() {
        ReceiveWindow window = window(16, 2, 2, 5);
        assertThatThrownBy(() -> window.putEntry(out, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> window.publish(0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("bytes: 0 (expected: 1 or more)");
    }
}
