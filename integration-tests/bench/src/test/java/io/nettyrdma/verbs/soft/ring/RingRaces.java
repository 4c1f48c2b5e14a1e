// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Races between the two halves of a ring, for jcstress. Two threads act in place of the two processes: the memory model
 * is the same. An outcome lists the result of the writer, then that of the reader. {@link RingRacesTest} runs them.
 */
public final class RingRaces {

    private RingRaces() {}

    /** An empty ring. The arbiter of a race gives the memory back, and a later race takes it. */
    abstract static class EmptyRing {

        private static final Queue<ByteBuffer> FREE = new ConcurrentLinkedQueue<>();

        private final ByteBuffer file;
        final RingWriter writer;
        final RingReader reader;

        EmptyRing() {
            ByteBuffer free = FREE.poll();
            file = free != null ? free : ByteBuffer.allocateDirect(Ring.BYTES);
            writer = new RingWriter(file, 0);
            reader = new RingReader(file, 0);
            for (int at : new int[] {Ring.WRITTEN_AT, Ring.READ_AT, Ring.READER_SLEEPS_AT, Ring.WRITER_WAITS_AT}) {
                writer.set(at, 0);
            }
        }

        // The code that jcstress generates handles no checked exceptions.

        final @Nullable ByteBuffer room(int leastBytes) {
            try {
                return writer.room(leastBytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        final @Nullable ByteBuffer record() {
            try {
                return reader.record();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        final boolean sleep() {
            try {
                return reader.sleep();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        final void giveBack() {
            FREE.add(file);
        }
    }

    /** A ring without room for {@link #LEAST_BYTES}. It has room, and half of it is free, after one more release. */
    abstract static class FullRing extends EmptyRing {

        /** The most that a writer may ask for. */
        static final int LEAST_BYTES = Ring.RECORD_BYTES / 4;

        /** The reader has released the first of four records, and releases the second during the race. */
        private static final int PAYLOAD_BYTES = 50_000;

        static final int SECOND_PAYLOAD_AT = Ring.recordBytes(PAYLOAD_BYTES) + Ring.HEADER_BYTES;

        FullRing() {
            for (int i = 0; i < 4; i++) {
                ByteBuffer room = room(PAYLOAD_BYTES);
                room.position(room.position() + PAYLOAD_BYTES);
                writer.commit();
            }
            writer.octets.putInt(SECOND_PAYLOAD_AT, 1);
            consume();
            reader.release();
        }

        final void consume() {
            ByteBuffer record = record();
            record.position(record.limit());
        }
    }

    /** The reader goes to sleep while the writer hands a record over. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "The reader sleeps, and the writer wakes it.")
    @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "The reader sees the record and stays awake.")
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The reader stays awake, and the writer wakes it.")
    @Outcome(id = "false, true", expect = FORBIDDEN, desc = "The reader sleeps beside a record.")
    @State
    public static class ReaderSleeps extends EmptyRing {

        @Actor
        public void writer(ZZ_Result r) {
            room(Long.BYTES).putLong(1);
            writer.commit();
            r.r1 = writer.hasToWake();
        }

        @Actor
        public void reader(ZZ_Result r) {
            r.r2 = sleep();
        }

        @Arbiter
        public void end(ZZ_Result r) {
            giveBack();
        }
    }

    /** The writer begins to wait for room while the reader frees half of the ring. */
    @JCStressTest
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The writer waits, and the reader wakes it.")
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The writer sees the room and does not wait.")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "The writer does not wait, and the reader wakes it.")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "The writer waits beside a ring that is half free.")
    @State
    public static class WriterWaits extends FullRing {

        public WriterWaits() {
            consume();
        }

        @Actor
        public void writer(ZZ_Result r) {
            r.r1 = room(LEAST_BYTES) != null;
        }

        @Actor
        public void reader(ZZ_Result r) {
            reader.release();
            r.r2 = reader.hasToWake();
        }

        @Arbiter
        public void end(ZZ_Result r) {
            giveBack();
        }
    }

    /** The reader looks for a record while the writer hands it over. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The reader sees no record.")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "The reader sees the record from its first octet to its last.")
    @Outcome(expect = FORBIDDEN, desc = "The reader sees a record before its octets.")
    @State
    public static class RecordAppears extends EmptyRing {

        /** The octets are on two cache lines. */
        private static final int PAYLOAD_BYTES = 64;

        private static final int FIRST_AT = Ring.HEADER_BYTES;
        private static final int LAST_AT = FIRST_AT + PAYLOAD_BYTES - Integer.BYTES;

        public RecordAppears() {
            // Memory that was used before must not look like the record of this race.
            writer.octets.putInt(0, 0).putInt(FIRST_AT, -1).putInt(LAST_AT, -1);
        }

        @Actor
        public void writer() {
            ByteBuffer room = room(PAYLOAD_BYTES);
            room.putInt(FIRST_AT, 1).putInt(LAST_AT, 2).position(FIRST_AT + PAYLOAD_BYTES);
            writer.commit();
        }

        @Actor
        public void reader(II_Result r) {
            ByteBuffer record = record();
            if (record != null) {
                r.r1 = record.getInt(FIRST_AT);
                r.r2 = record.getInt(LAST_AT);
            }
        }

        @Arbiter
        public void end(II_Result r) {
            giveBack();
        }
    }

    /** The writer fills the room of a record that the reader reads and releases. */
    @JCStressTest
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "The writer has no room.")
    @Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "The writer has room because the reader has read the record.")
    @Outcome(expect = FORBIDDEN, desc = "The reader reads octets that the writer has written later.")
    @State
    public static class RoomAppears extends FullRing {

        @Actor
        public void writer(ZI_Result r) {
            ByteBuffer room = room(LEAST_BYTES);
            if (room != null) {
                room.putInt(SECOND_PAYLOAD_AT, 2);
                r.r1 = true;
            }
        }

        @Actor
        public void reader(ZI_Result r) {
            consume();
            r.r2 = reader.octets.getInt(SECOND_PAYLOAD_AT);
            reader.release();
        }

        @Arbiter
        public void end(ZI_Result r) {
            giveBack();
        }
    }
}
