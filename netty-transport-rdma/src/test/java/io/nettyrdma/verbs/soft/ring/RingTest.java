// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One ring, written and read by one thread. What two do at the same time is the matter of the lane of stress tests. */
final class RingTest {

    private static final int LEAST = 1000;

    private final ByteBuffer file = ByteBuffer.allocateDirect(SharedFile.BYTES).order(ByteOrder.nativeOrder());
    private final RingWriter writer = new RingWriter(file, 0);
    private final RingReader reader = new RingReader(file, 0);

    private boolean write(Random content, int bytes) throws IOException {
        ByteBuffer room = writer.room(LEAST);
        if (room == null) {
            return false;
        }
        assertThat(room.remaining()).isGreaterThanOrEqualTo(LEAST);
        byte[] octets = new byte[Math.min(bytes, room.remaining())];
        content.nextBytes(octets);
        room.put(octets);
        assertThat(writer.commit()).isEqualTo(octets.length);
        return true;
    }

    private boolean read(Random content) throws IOException {
        ByteBuffer record = reader.record();
        if (record == null) {
            return false;
        }
        byte[] octets = new byte[record.remaining()];
        record.get(octets);
        byte[] expected = new byte[octets.length];
        content.nextBytes(expected);
        assertThat(octets).isEqualTo(expected);
        reader.release();
        return true;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 1000, 40_000, 1 << 20})
    void octetsComeAsTheyWereWrittenHoweverOftenTheRingWraps(int mostBytes) throws IOException {
        Random written = new Random(mostBytes);
        Random read = new Random(mostBytes);
        Random sizes = new Random(1);
        for (int i = 0; i < 2000; i++) {
            for (int n = sizes.nextInt(8); n > 0 && write(written, 1 + sizes.nextInt(mostBytes)); n--) {}
            for (int n = sizes.nextInt(8); n > 0 && read(read); n--) {}
        }
        while (read(read)) {}
        assertThat(reader.isEmpty()).isTrue();
    }

    @Test
    void roomThatIsNotUsedIsNotHandedOver() throws IOException {
        for (int i = 0; i < 3; i++) {
            assertThat(writer.room(LEAST)).isNotNull();
            assertThat(writer.commit()).isZero();
        }
        assertThat(reader.record()).isNull();
    }

    @Test
    void recordThatIsConsumedInPartStays() throws IOException {
        write(new Random(1), 100);
        ByteBuffer record = reader.record();
        record.position(record.position() + 60);
        reader.release();
        assertThat(reader.isEmpty()).isFalse();
        assertThat(reader.record().remaining()).isEqualTo(40);
        record.position(record.limit());
        reader.release();
        assertThat(reader.isEmpty()).isTrue();
    }

    @Test
    void waitingWriterIsWokenOnceWhenHalfIsFree() throws IOException {
        while (write(new Random(1), 60_000)) {}
        assertThat(writer.room(LEAST)).isNull();
        int woken = 0;
        for (ByteBuffer record = reader.record(); record != null; record = reader.record()) {
            record.position(record.limit());
            reader.release();
            if (reader.hasToWake()) {
                woken++;
                assertThat(writer.room(LEAST)).isNotNull();
            }
        }
        assertThat(woken).isEqualTo(1);
    }

    @Test
    void sleepingReaderIsWokenOnce() throws IOException {
        write(new Random(1), 10);
        assertThat(writer.hasToWake()).as("is awake").isFalse();
        assertThat(reader.sleep()).as("there is something").isFalse();
        read(new Random(1));
        assertThat(reader.sleep()).isTrue();
        write(new Random(1), 10);
        assertThat(writer.hasToWake()).isTrue();
        assertThat(writer.hasToWake()).isFalse();
        read(new Random(1));
        assertThat(reader.sleep()).isTrue();
        reader.awake();
        write(new Random(1), 10);
        assertThat(writer.hasToWake()).isFalse();
    }

    @Test
    void lastRecordAlwaysFindsRoom() throws IOException {
        Random sizes = new Random(1);
        byte[] last = new byte[120];
        for (int i = 0; i < 3000; i++) {
            ByteBuffer copy = ByteBuffer.allocateDirect(SharedFile.BYTES).order(ByteOrder.nativeOrder());
            RingWriter w = new RingWriter(copy, 0);
            RingReader r = new RingReader(copy, 0);
            int records = 1;
            for (ByteBuffer room = w.room(LEAST); room != null; room = w.room(LEAST)) {
                room.position(room.position() + 1 + sizes.nextInt(room.remaining()));
                w.commit();
                records++;
                if (sizes.nextInt(4) == 0 && r.record() != null) {
                    r.record().position(r.record().limit());
                    r.release();
                    records--;
                }
            }
            w.last(ByteBuffer.wrap(last));
            for (; records > 1; records--) {
                r.record().position(r.record().limit());
                r.release();
            }
            assertThat(r.record().remaining()).isEqualTo(last.length);
        }
    }

    /** What a peer may write into the words and lengths. */
    enum Nonsense {
        WRITTEN_BACK(ring -> ring.putLong(Ring.WRITTEN_AT, 8)),
        WRITTEN_NEGATIVE(ring -> ring.putLong(Ring.WRITTEN_AT, Long.MIN_VALUE)),
        WRITTEN_TOO_FAR(ring -> ring.putLong(Ring.WRITTEN_AT, 2 * Ring.RECORD_BYTES)),
        WRITTEN_BETWEEN_RECORDS(ring -> ring.putLong(Ring.WRITTEN_AT, 115)),
        LENGTH_ZERO(ring -> length(ring, 0)),
        LENGTH_NEGATIVE(ring -> length(ring, -2)),
        LENGTH_BEYOND_WHAT_IS_WRITTEN(ring -> length(ring, 2000)),
        LENGTH_BEYOND_THE_RING(ring -> length(ring, Integer.MAX_VALUE)),
        BEGINNING_WITHOUT_A_RECORD(ring -> length(ring, Ring.TO_BEGINNING)),
        READ_BACK(ring -> ring.putLong(Ring.READ_AT, 0)),
        READ_TOO_FAR(ring -> ring.putLong(Ring.READ_AT, Long.MAX_VALUE));

        private final Consumer<ByteBuffer> write;

        Nonsense(Consumer<ByteBuffer> write) {
            this.write = write;
        }

        /** Of the second record. */
        private static void length(ByteBuffer ring, int bytes) {
            ring.duplicate().putInt(Ring.BYTES - Ring.RECORD_BYTES + Ring.recordBytes(100), bytes);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nonsenseIsFound(Nonsense nonsense) throws IOException {
        write(new Random(1), 100);
        read(new Random(1));
        while (write(new Random(1), 60_000)) {} // has looked where the reader is
        if (nonsense.name().startsWith("LENGTH_BEYOND_WHAT") || nonsense == Nonsense.BEGINNING_WITHOUT_A_RECORD) {
            file.putLong(Ring.WRITTEN_AT, Ring.recordBytes(100) + Ring.recordBytes(200));
        }
        nonsense.write.accept(file);
        assertThatThrownBy(() -> {
                    if (nonsense.name().startsWith("READ")) {
                        writer.room(LEAST);
                    } else {
                        reader.record();
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("peer wrote nonsense into the shared memory: ");
    }
}
