// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One direction of octets in shared memory: words of control, each on a cache line of its own (and none on the
 * neighbour that processors fetch along), then the octets.
 *
 * <pre>
 * 0     written: octets that the writer has filled since the beginning
 * 128   read: octets that the reader has emptied since the beginning
 * 256   1 while the reader sleeps and wants to be woken when there are octets
 * 384   1 while the writer waits and wants to be woken when there is room
 * 512   the format, in the first ring of a file
 * 4096  octets, as records: length (4), nothing (4), the octets, up to a multiple of 8
 * </pre>
 *
 * <p>A record lies in one piece. A length of -1 sends the reader to the beginning of the ring. What a record holds are
 * whole FPDUs, so a reader can parse them where they lie.
 *
 * <p><b>Why no wake-up is lost.</b> Who goes to sleep sets its word, and then looks again; who has something for it
 * changes the position, and then looks at the word. Between its write and its read each side has a full fence. So of
 * the two reads at least one sees the other side's write: either the sleeper sees the new position and does not sleep,
 * or the other side sees the word, takes it by compare-and-set and wakes the sleeper. A wake-up too many is harmless.
 *
 * <p>Threading: of both halves, the thread of the connection; the other halves are the peer's.
 */
abstract class Ring {

    /** Octets of records, a power of two. */
    static final int RECORD_BYTES = 256 * 1024;

    private static final int CONTROL_BYTES = 4096;

    /** Octets of a ring with its control words. */
    static final int BYTES = CONTROL_BYTES + RECORD_BYTES;

    static final int WRITTEN_AT = 0;
    static final int READ_AT = 128;
    static final int READER_SLEEPS_AT = 256;
    static final int WRITER_WAITS_AT = 384;
    static final int FORMAT_AT = 512;

    /** Octets in front of a record, which is also what records are aligned to. */
    static final int HEADER_BYTES = 8;

    /** In place of a length: the next record is at the beginning. */
    static final int TO_BEGINNING = -1;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer control;
    private final CutFile cutFile = new CutFile();
    /** The octets of the records; position and limit are those of the record in use. */
    final ByteBuffer octets;

    Ring(ByteBuffer file, int at) {
        control = file.slice(at, CONTROL_BYTES);
        octets = file.slice(at + CONTROL_BYTES, RECORD_BYTES);
    }

    /** Octets of a record of so many. */
    static int recordBytes(int bytes) {
        return HEADER_BYTES + bytes + (-bytes & HEADER_BYTES - 1);
    }

    /** Where in the ring a position is. */
    static int index(long position) {
        return (int) position & RECORD_BYTES - 1;
    }

    final long get(int at) {
        return (long) WORD.getVolatile(control, at);
    }

    final void set(int at, long value) {
        WORD.setVolatile(control, at, value);
    }

    /** Sets a word, and lets no later read come before. */
    final void publish(int at, long value) {
        WORD.setVolatile(control, at, value);
        VarHandle.fullFence();
    }

    /** Takes the wish of the other side to be woken, if there is one. */
    final boolean takeWish(int at) {
        return get(at) == 1 && WORD.compareAndSet(control, at, 1L, 0L);
    }

    /**
     * To be called behind accesses to the memory, see {@link CutFile}.
     *
     * @throws InternalError if the file was cut short
     */
    public final void check() {
        cutFile.check();
    }

    final IOException nonsense(String what, long value) {
        check();
        return new IOException("peer wrote nonsense into the shared memory: " + what + ' ' + value);
    }
}
