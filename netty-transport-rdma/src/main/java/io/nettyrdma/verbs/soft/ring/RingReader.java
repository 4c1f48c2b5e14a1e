// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The half of a ring that empties it. It begins awake. */
public final class RingReader extends Ring {

    private long read;
    /** How far the ring is filled, as it was when it was looked at last. */
    private long written;
    /** Octets of the record in use with its header, or 0 if none is. */
    private int record;

    RingReader(ByteBuffer file, int at) {
        super(file, at);
    }

    /** Whether everything handed over is consumed. */
    public boolean isEmpty() throws IOException {
        if (record == 0 && written == read) {
            long now = get(WRITTEN_AT);
            if (now < written || now - read > RECORD_BYTES || (now & HEADER_BYTES - 1) != 0) {
                throw nonsense("written position", now);
            }
            written = now;
        }
        return record == 0 && written == read;
    }

    /**
     * The record in use, or the next, from the position of the buffer up to its limit. The writer can still change what
     * is in it.
     *
     * @return {@code null} if there is none
     */
    @Nullable
    public ByteBuffer record() throws IOException {
        if (record == 0) {
            if (isEmpty()) {
                return null;
            }
            int bytes = octets.clear().getInt(index(read));
            if (bytes == TO_BEGINNING && index(read) != 0) {
                read += RECORD_BYTES - index(read);
                bytes = written - read > 0 ? octets.getInt(0) : 0;
            }
            int at = index(read);
            if (bytes <= 0 || bytes > Math.min(RECORD_BYTES - at, written - read) - HEADER_BYTES) {
                throw nonsense("length", bytes);
            }
            record = recordBytes(bytes);
            octets.position(at + HEADER_BYTES).limit(at + HEADER_BYTES + bytes);
        }
        return octets;
    }

    /** Gives the room of the record in use back, if all of it is consumed. */
    public void release() {
        if (!octets.hasRemaining()) {
            read += record;
            record = 0;
            publish(READ_AT, read);
        }
    }

    /** Whether the writer waits and has to be woken because half of the ring is free. */
    public boolean hasToWake() {
        return get(WRITER_WAITS_AT) == 1 && get(WRITTEN_AT) - read <= RECORD_BYTES / 2 && takeWish(WRITER_WAITS_AT);
    }

    /** Asks the writer to wake this side; false if there is something already, and no need to. */
    public boolean sleep() throws IOException {
        publish(READER_SLEEPS_AT, 1);
        if (isEmpty()) {
            return true;
        }
        awake();
        return false;
    }

    /** This side looks by itself. */
    public void awake() {
        set(READER_SLEEPS_AT, 0);
    }
}
