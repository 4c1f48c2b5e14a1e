// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The half of a ring that fills it. Room is {@linkplain #room asked for}, filled in place and {@linkplain #commit
 * handed over} as one record.
 */
public final class RingWriter extends Ring {

    /** Most octets of a record: the reader can take the first half of much while the second is written. */
    private static final int MOST_BYTES = 66 * 1024;

    /** Kept free for {@link #last}, also where the ring begins again: more than a Terminate takes. */
    private static final int SPARE_BYTES = 512;

    private long written;
    /** What the reader has emptied, as it was when it was looked at last. */
    private long read;

    private int recordAt;

    RingWriter(ByteBuffer file, int at) {
        super(file, at);
    }

    /**
     * Where the next record can be built, at the position of the buffer up to its limit. If there is no room, asks the
     * reader to wake this side when half of the ring is free.
     *
     * @param leastBytes octets of the smallest record that is worth while, at most a quarter of the ring
     * @return {@code null} if there is no room
     */
    @Nullable
    public ByteBuffer room(int leastBytes) throws IOException {
        if (!reserve(leastBytes)) {
            publish(WRITER_WAITS_AT, 1);
            if (!reserve(leastBytes)) {
                check();
                return null;
            }
            set(WRITER_WAITS_AT, 0);
        }
        return octets;
    }

    private boolean reserve(int leastBytes) throws IOException {
        int least = recordBytes(leastBytes) + SPARE_BYTES;
        int toEnd = RECORD_BYTES - index(written);
        int skipped = toEnd < least ? toEnd : 0;
        int free = free(RECORD_BYTES / 2) - skipped;
        if (free < least) {
            free = free(RECORD_BYTES) - skipped;
            if (free < least) {
                return false;
            }
        }
        if (skipped > 0) {
            skipToBeginning();
            toEnd = RECORD_BYTES;
        }
        begin(Math.min(Math.min(free, toEnd) - SPARE_BYTES - HEADER_BYTES, MOST_BYTES));
        return true;
    }

    /** Looks where the reader is, unless it was so far that {@code enough} octets are free. */
    private int free(int enough) throws IOException {
        if (written - read > RECORD_BYTES - enough) {
            long now = get(READ_AT);
            if (now < read || now > written) {
                throw nonsense("read position", now);
            }
            read = now;
        }
        return RECORD_BYTES - (int) (written - read);
    }

    private void skipToBeginning() {
        octets.clear().putInt(index(written), TO_BEGINNING);
        written += RECORD_BYTES - index(written); // told with the next record
    }

    private void begin(int bytes) {
        recordAt = index(written);
        octets.clear().position(recordAt + HEADER_BYTES).limit(recordAt + HEADER_BYTES + bytes);
    }

    /**
     * Hands over what was appended to the buffer of {@link #room}; nothing, if nothing was.
     *
     * @return the octets handed over
     */
    public int commit() {
        int bytes = octets.position() - recordAt - HEADER_BYTES;
        if (bytes > 0) {
            octets.putInt(recordAt, bytes);
            written += recordBytes(bytes);
            publish(WRITTEN_AT, written);
        }
        check();
        return bytes;
    }

    /** Hands over a last record, for which there is always room. */
    public void last(ByteBuffer record) {
        if (RECORD_BYTES - index(written) < recordBytes(record.remaining())) {
            skipToBeginning();
        }
        begin(record.remaining());
        octets.put(record);
        commit();
    }

    /** Whether the reader sleeps and has to be woken because of what was handed over. */
    public boolean hasToWake() {
        return takeWish(READER_SLEEPS_AT);
    }
}
