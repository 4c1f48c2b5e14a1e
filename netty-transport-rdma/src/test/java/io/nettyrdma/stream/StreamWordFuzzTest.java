// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.stream.HalfCloseState.Action;
import java.util.Set;

/**
 * Any words of a peer, and any entries. An input is a sequence of steps: an octet says what the step is, 4 octets of a
 * word or 17 octets with the index of an entry and the entry may follow.
 */
class StreamWordFuzzTest {

    private static final int ENTRIES = 4;
    private static final int BUFFER_BYTES = 5;
    private static final SetupData OWN = new SetupData(false, 16, 0, 0, ENTRIES, 0, 0, BUFFER_BYTES);
    private static final SetupData PEER = new SetupData(false, 40, 0, 0, ENTRIES, 0, 0, 64);

    private final ByteBuf table = Unpooled.buffer().writeZero(ENTRIES * TargetEntry.BYTES);
    private final ByteBuf entry = Unpooled.buffer().writeZero(TargetEntry.BYTES);
    private final HalfCloseState state = new HalfCloseState();
    private final SendWindow send = new SendWindow(table, OWN, PEER);
    private final ReceiveWindow receive = new ReceiveWindow(OWN, PEER);
    private long granted = 16;
    private long taken;
    private long sent;
    private long published = BUFFER_BYTES;
    private long filled;

    @FuzzTest
    void wordsAreTakenOrRefused(byte[] input) {
        StreamWordFuzzTest stream = new StreamWordFuzzTest();
        ByteBuf steps = Unpooled.wrappedBuffer(input);
        while (steps.isReadable() && stream.step(steps)) {
            stream.check();
        }
    }

    private void check() {
        assertThat(taken).isLessThanOrEqualTo(granted);
        assertThat(filled).isLessThanOrEqualTo(published);
        assertThat(receive.filledBytes()).isBetween(0L, (long) BUFFER_BYTES);
        assertThat(send.writableBytes()).isNotNegative();
    }

    private boolean step(ByteBuf steps) {
        switch (steps.readUnsignedByte() % 6) {
            case 0 -> {
                if (receive.mayPublish()) {
                    receive.publish(0, 0, BUFFER_BYTES);
                }
            }
            case 1 -> sendUpdates();
            case 2 -> {
                int bytes = Math.min(send.writableBytes(), 3);
                if (bytes > 0) {
                    send.advance(bytes);
                    sent++;
                }
            }
            case 3 -> {
                if (steps.readableBytes() < 1 + TargetEntry.BYTES) {
                    return false;
                }
                table.setBytes(steps.readUnsignedByte() % ENTRIES * TargetEntry.BYTES, steps.readSlice(16));
            }
            default -> {
                return steps.readableBytes() >= StreamWord.BYTES && word(steps.readIntLE());
            }
        }
        return true;
    }

    private void sendUpdates() {
        while (receive.isEntryOwed()) {
            assertThat(receive.putEntry(entry, 0)).isBetween(0L, (ENTRIES - 1) * 16L);
            published += BUFFER_BYTES;
        }
        if (receive.isLimitDue()) {
            granted = taken + OWN.credits();
            assertThat(receive.takeLimit()).isEqualTo(StreamWord.limit((int) granted));
        }
    }

    /** Returns whether the stream goes on. */
    private boolean word(int word) {
        boolean ended = state.hasEnded();
        try {
            Set<Action> actions = state.receive(word);
            assertThat(ended && !actions.isEmpty()).isFalse();
            if (actions.contains(Action.TAKE) || actions.contains(Action.DROP)) {
                take(word);
            }
            return true;
        } catch (StreamProtocolException e) {
            assertThat(e).hasMessageMatching(".+ \\(expected: .+\\)");
            assertThat(state.close()).contains(Action.SEND_DISCONNECT);
            return false;
        }
    }

    private void take(int word) throws StreamProtocolException {
        switch (StreamWord.kind(word)) {
            case DATA -> {
                receive.fill(word, ReceiveWindow.UNKNOWN);
                filled += word;
                taken++;
            }
            case IOMAP -> {
                receive.countIomap();
                taken++;
            }
            case LIMIT -> {
                send.onLimit(StreamWord.value(word));
                assertThat(StreamWord.value(word) - sent & 0xffff).isLessThanOrEqualTo(PEER.credits());
            }
            default -> throw new AssertionError("nothing to take: " + Integer.toHexString(word));
        }
    }
}
