// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Any octets as the private data of a peer, in a request and in a reply. */
class SetupDataFuzzTest {

    private static final int FLAGS = 1;
    private static final int RESERVED = 4;

    @FuzzTest
    void setupDataIsUnderstoodOrRefused(byte[] input) {
        SetupData request;
        try {
            request = SetupData.decodeRequest(Unpooled.wrappedBuffer(input));
        } catch (StreamProtocolException e) {
            assertThat(e).hasMessageMatching(".+: \\d+,? \\(?expected: .+\\)");
            assertReplyRefused(input);
            return;
        }
        assertThat(input.length).isGreaterThanOrEqualTo(SetupData.BYTES);
        checkReproduced(request, input);
        checkWindows(request);
    }

    private static void assertReplyRefused(byte[] input) {
        SetupData own = new SetupData(false, 16, 0, 0, 2, 0, 0, 1);
        try {
            SetupData.decodeReply(Unpooled.wrappedBuffer(input), own);
        } catch (StreamProtocolException e) {
            return;
        }
        throw new AssertionError("a reply is accepted that is no request");
    }

    private static void checkReproduced(SetupData data, byte[] input) {
        ByteBuf expected = Unpooled.copiedBuffer(input).slice(0, SetupData.BYTES);
        expected.setByte(FLAGS, data.networkOrder() ? 3 : 2).setInt(RESERVED, 0);
        ByteBuf out = Unpooled.buffer(SetupData.BYTES);
        data.encode(out);
        assertThat(out).isEqualTo(expected);
    }

    private static void checkWindows(SetupData peer) {
        SetupData own = new SetupData(peer.networkOrder(), 112, 0, 0, 4, 0, 0, 16_384);
        SendWindow send = new SendWindow(Unpooled.buffer().writeZero(4 * TargetEntry.BYTES), own, peer);
        assertThat((long) send.writableBytes()).isBetween(1L, peer.bufferBytes());
        ReceiveWindow receive = new ReceiveWindow(own, peer);
        int published = 1;
        for (; receive.mayPublish(); published++) {
            receive.publish(0, 0, 1);
        }
        assertThat(published).isEqualTo(Math.min(4, peer.tableEntries()));
    }
}
