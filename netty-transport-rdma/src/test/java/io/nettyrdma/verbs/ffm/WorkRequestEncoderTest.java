// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkRequestEncoderTest {

    private static final long ADDRESS = 0x7f00_1234_5000L;

    private final WorkRequestBatch batch = new WorkRequestBatch(4);

    private ByteBuffer sends() {
        return sends(false);
    }

    private ByteBuffer sends(boolean splits) {
        ByteBuffer out = dirty(WorkRequestEncoder.sendBytes(batch, splits));
        WorkRequestEncoder.encodeSends(batch, out, ADDRESS, splits);
        return out;
    }

    /** Memory that was used before. */
    private static ByteBuffer dirty(int bytes) {
        ByteBuffer out = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        while (out.hasRemaining()) {
            out.put((byte) 0xee);
        }
        return out;
    }

    @Test
    void requestsAreLinkedAndTheirEntriesFollowBehindTheLast() {
        batch.add()
                .send(7, VerbsConstants.WR_SEND, VerbsConstants.SEND_SIGNALED)
                .local(0x1000, 64, 0xabcd);
        batch.add().send(8, VerbsConstants.WR_RDMA_READ, 0).remote(0x55, 0x9000).local(0x3000, 16, 1);
        assertThat(WorkRequestEncoder.sendBytes(batch, false)).isEqualTo(2 * 128 + 2 * 16);

        ByteBuffer out = sends();

        assertThat(out.getLong(0)).isEqualTo(7);
        assertThat(out.getLong(8)).isEqualTo(ADDRESS + 128);
        assertThat(out.getLong(16)).isEqualTo(ADDRESS + 256);
        assertThat(out.getInt(24)).isEqualTo(1);
        assertThat(out.getInt(28)).isEqualTo(VerbsConstants.WR_SEND);
        assertThat(out.getInt(32)).isEqualTo(VerbsConstants.SEND_SIGNALED);
        assertThat(out.getInt(36)).as("key to invalidate").isZero();

        assertThat(out.getLong(128)).isEqualTo(8);
        assertThat(out.getLong(128 + 8)).as("next of the last").isZero();
        assertThat(out.getLong(128 + 16)).isEqualTo(ADDRESS + 256 + 16);
        assertThat(out.getInt(128 + 24)).isEqualTo(1);
        assertThat(out.getInt(128 + 28)).isEqualTo(VerbsConstants.WR_RDMA_READ);
        assertThat(out.getLong(128 + 40)).isEqualTo(0x9000);
        assertThat(out.getInt(128 + 48)).isEqualTo(0x55);

        assertThat(out.getLong(256)).isEqualTo(0x1000);
        assertThat(out.getInt(256 + 8)).isEqualTo(64);
        assertThat(out.getInt(256 + 12)).isEqualTo(0xabcd);
        assertThat(out.getLong(256 + 16)).isEqualTo(0x3000);
    }

    @Test
    void immediateDataStandWhereTheKeyToInvalidateWould() {
        batch.add().send(1, 3, 0).immediate(0x1122_3344);

        assertThat(sends().getInt(36)).isEqualTo(0x1122_3344);
    }

    /** One driver takes it from one place, all others from the other. */
    @Test
    void keyToInvalidateStandsInBothPlaces() {
        batch.add().send(1, VerbsConstants.WR_SEND_WITH_INV, 0).remote(0x7766_5544, 0);

        ByteBuffer out = sends();

        assertThat(out.getInt(36)).isEqualTo(0x7766_5544);
        assertThat(out.getInt(48)).isEqualTo(0x7766_5544);
    }

    /** Siw takes wrong octets of a short message where a page ends in it, unless it has two entries. */
    @Test
    void shortMessageInTwoPagesHasAnEntryForEach() {
        batch.add().send(1, VerbsConstants.WR_SEND, 0).local(0x1ff0, 19, 7);
        batch.add().send(2, VerbsConstants.WR_RDMA_WRITE, 0).local(0x2fff, 32, 8);

        ByteBuffer out = sends(true);

        assertThat(out.getInt(24)).isEqualTo(2);
        assertThat(out.getInt(128 + 24)).isEqualTo(2);
        assertThat(out.getLong(128 + 16)).isEqualTo(ADDRESS + 256 + 32);
        assertThat(out.getLong(256)).isEqualTo(0x1ff0);
        assertThat(out.getInt(264)).isEqualTo(16);
        assertThat(out.getInt(268)).isEqualTo(7);
        assertThat(out.getLong(272)).isEqualTo(0x2000);
        assertThat(out.getInt(280)).isEqualTo(3);
        assertThat(out.getInt(284)).isEqualTo(7);
        assertThat(out.getLong(288)).isEqualTo(0x2fff);
        assertThat(out.getInt(296)).isEqualTo(1);
        assertThat(out.getLong(304)).isEqualTo(0x3000);
        assertThat(out.getInt(312)).isEqualTo(31);
    }

    @Test
    void everythingElseKeepsItsEntry() {
        batch.add().send(1, VerbsConstants.WR_SEND, 0).local(0x1ff0, 16, 7);
        batch.add().send(2, VerbsConstants.WR_SEND, 0).local(0x1ff0, 33, 7);
        batch.add().send(3, VerbsConstants.WR_RDMA_READ, 0).local(0x1ff0, 19, 7);
        batch.add().send(4, VerbsConstants.WR_SEND, 0);

        ByteBuffer out = sends(true);

        assertThat(List.of(out.getInt(24), out.getInt(128 + 24), out.getInt(256 + 24), out.getInt(384 + 24)))
                .containsExactly(1, 1, 1, 0);
    }

    @Test
    void emptySendHasNoEntries() {
        batch.add().send(1, VerbsConstants.WR_SEND, 0);

        ByteBuffer out = sends();

        assertThat(out.capacity()).isEqualTo(128);
        assertThat(out.getInt(24)).isZero();
    }

    @Test
    void receivesAreLinkedInTheSameWay() {
        batch.add().receive(3).local(0x1000, 4096, 9);
        batch.add().receive(4).local(0x2000, 4096, 9);
        ByteBuffer out = dirty(WorkRequestEncoder.receiveBytes(batch));
        WorkRequestEncoder.encodeReceives(batch, out, ADDRESS);

        assertThat(out.capacity()).isEqualTo(2 * 32 + 2 * 16);
        assertThat(out.getLong(0)).isEqualTo(3);
        assertThat(out.getLong(8)).isEqualTo(ADDRESS + 32);
        assertThat(out.getLong(16)).isEqualTo(ADDRESS + 64);
        assertThat(out.getInt(24)).isEqualTo(1);
        assertThat(out.getLong(32)).isEqualTo(4);
        assertThat(out.getLong(40)).isZero();
        assertThat(out.getLong(48)).isEqualTo(ADDRESS + 80);
        assertThat(out.getLong(80)).isEqualTo(0x2000);
        assertThat(out.getInt(88)).isEqualTo(4096);
        assertThat(out.getInt(92)).isEqualTo(9);
    }
}
