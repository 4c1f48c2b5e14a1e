// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One question: how a connection ends.
 *
 * @param closer the side that closes; the other one is the reader
 * @param how how it closes
 * @param bytes how many bytes it writes before
 * @param small whether it writes them in 100 pieces
 * @param reader what the other side does
 * @param halfClosure ALLOW_HALF_CLOSURE of both sides
 * @param autoClose AUTO_CLOSE of both sides
 */
record EndCase(
        Closer closer, How how, int bytes, boolean small, Reader reader, boolean halfClosure, boolean autoClose) {

    enum Closer {
        SERVER,
        CLIENT
    }

    enum How {
        /** Closes right after the flush. */
        CLOSE,
        /** Closes a while after the promise of the write is done. */
        CLOSE_AFTER,
        /** Lets the write's listener close. */
        LISTENER,
        SHUTDOWN_OUTPUT,
        SHUTDOWN_INPUT,
        SHUTDOWN,
        LINGER0,
        /** Sets SO_LINGER to 0 and closes when the promise of the write is done. */
        LINGER0_AFTER,
        LINGER2,
        DISCONNECT,
        DEREGISTER,
        /** Throws in channelRead; exceptionCaught closes. */
        EXCEPTION,
        /** Ends the closer's event loops with the default times. */
        GROUP,
        /** Ends the closer's event loops at once, within five seconds. */
        GROUP_SHORT,
        OTHER_THREAD,
        IN_READ,
        /** Writes one byte; its listener writes the rest, flushes and closes. */
        SECOND,
        SECOND_LINGER,
        SECOND_DEREGISTER;

        boolean isTriggered() {
            return this == EXCEPTION || this == IN_READ;
        }

        boolean isGroup() {
            return this == GROUP || this == GROUP_SHORT;
        }

        boolean isSecond() {
            return this == SECOND || this == SECOND_LINGER || this == SECOND_DEREGISTER;
        }

        /** Whether NIO and epoll close on a thread that all channels of the process share. */
        boolean isLinger() {
            return this == LINGER2 || this == SECOND_LINGER;
        }
    }

    enum Reader {
        READS(4),
        /** One read() at a time. */
        ONE(4),
        PAUSE_500_MS(4),
        PAUSE_3_S(8),
        PAUSE_12_S(15),
        NEVER(13),
        /** Closes first, with bytes unread. */
        FIRST(4),
        /** Writes 1000 bytes each 50 ms, at most two seconds. */
        WRITES(4),
        /** Writes three times after it has seen the end. */
        LATE(4),
        /** Writes three times after it could have seen the end, but does not read. */
        LATE_UNREAD(5);

        private final int limitSeconds;

        Reader(int limitSeconds) {
            this.limitSeconds = limitSeconds;
        }

        boolean readsAtOnce() {
            return this == READS || this == WRITES || this == LATE;
        }

        boolean isLong() {
            return this == PAUSE_3_S || this == PAUSE_12_S || this == NEVER || this == LATE_UNREAD;
        }

        long pauseMillis() {
            return switch (this) {
                case PAUSE_500_MS -> 500;
                case PAUSE_3_S -> 3000;
                case PAUSE_12_S -> 12_000;
                default -> -1;
            };
        }
    }

    private static final int MANY_BYTES = 1_000_000;

    private static final Set<How> ENDS_NOTHING_IF_FIRST =
            Set.of(How.EXCEPTION, How.IN_READ, How.SECOND, How.SECOND_LINGER, How.SECOND_DEREGISTER);

    boolean isOrdinary() {
        return !halfClosure && autoClose;
    }

    /** Whether the answer takes no more than about four seconds. */
    boolean isQuick() {
        return !reader.isLong() && !how.isGroup() && !how.isLinger() && how != How.SHUTDOWN_INPUT;
    }

    /** Seconds after which a connection that has not ended is taken for one that does not. */
    int limitSeconds() {
        return reader.limitSeconds + (how == How.GROUP ? 3 : 0) + (bytes > MANY_BYTES ? 6 : 0);
    }

    int expectedBytes() {
        return bytes + (how.isSecond() ? 1 : 0);
    }

    @Override
    public String toString() {
        return (closer + " " + how + " " + bytes + (small ? " small" : "") + " reader " + reader)
                        .toLowerCase(Locale.ROOT)
                + (halfClosure ? " half" : "")
                + (autoClose ? "" : " keep");
    }

    private static final class Product {

        private final List<EndCase> cases = new ArrayList<>();
        private boolean halfClosure;
        private boolean autoClose = true;

        void add(Closer closer, How how, Reader reader, int... sizes) {
            boolean isSenseless = reader == Reader.FIRST && ENDS_NOTHING_IF_FIRST.contains(how);
            for (int bytes : sizes) {
                if (!isSenseless && !(bytes == 0 && how.isSecond())) {
                    cases.add(new EndCase(closer, how, bytes, false, reader, halfClosure, autoClose));
                }
            }
        }

        void addSmall(How how, Reader reader, int bytes) {
            cases.add(new EndCase(Closer.SERVER, how, bytes, true, reader, halfClosure, autoClose));
        }

        void addOrdinary() {
            for (How how : How.values()) {
                add(Closer.SERVER, how, Reader.READS, 0, 1, 1000, 300_000, 2_700_000);
                add(Closer.SERVER, how, Reader.ONE, 300_000);
                add(Closer.SERVER, how, Reader.PAUSE_500_MS, 60_000, 2_700_000);
                add(Closer.SERVER, how, Reader.PAUSE_3_S, 300_000, 3_000_000);
                add(Closer.SERVER, how, Reader.PAUSE_12_S, 300_000);
                add(Closer.SERVER, how, Reader.NEVER, 1000);
                add(Closer.SERVER, how, Reader.FIRST, 0, 300_000);
                add(Closer.SERVER, how, Reader.WRITES, 1000);
                add(Closer.SERVER, how, Reader.LATE, 60_000);
                add(Closer.SERVER, how, Reader.LATE_UNREAD, 1000);
                add(Closer.CLIENT, how, Reader.READS, 300_000);
                add(Closer.CLIENT, how, Reader.PAUSE_500_MS, 1000);
            }
            for (How how : List.of(How.CLOSE, How.CLOSE_AFTER, How.SHUTDOWN_OUTPUT, How.LINGER0, How.GROUP)) {
                addSmall(how, Reader.READS, 300_000);
                addSmall(how, Reader.PAUSE_3_S, 2_700_000);
                add(Closer.SERVER, how, Reader.READS, 60_000, 3_000_000);
                add(Closer.SERVER, how, Reader.NEVER, 0, 2_700_000);
                add(Closer.CLIENT, how, Reader.NEVER, 60_000);
                add(Closer.CLIENT, how, Reader.LATE_UNREAD, 0, 60_000);
                add(Closer.CLIENT, how, Reader.FIRST, 1000);
            }
        }

        void addRare(boolean halfClosure, boolean autoClose) {
            this.halfClosure = halfClosure;
            this.autoClose = autoClose;
            for (How how : How.values()) {
                add(Closer.SERVER, how, Reader.READS, 1000);
                add(Closer.SERVER, how, Reader.PAUSE_500_MS, 300_000);
                add(Closer.SERVER, how, Reader.LATE, 60_000);
                add(Closer.SERVER, how, Reader.FIRST, 1000);
                add(Closer.SERVER, how, Reader.LATE_UNREAD, 1000);
                if (halfClosure && autoClose) {
                    add(Closer.SERVER, how, Reader.READS, 0, 2_700_000);
                    add(Closer.SERVER, how, Reader.WRITES, 1000);
                    add(Closer.SERVER, how, Reader.NEVER, 1000);
                    add(Closer.CLIENT, how, Reader.READS, 60_000);
                    add(Closer.CLIENT, how, Reader.PAUSE_3_S, 300_000);
                }
            }
        }
    }

    /** All questions, without the senseless ones. */
    static List<EndCase> all() {
        Product product = new Product();
        product.addOrdinary();
        product.addRare(true, true);
        product.addRare(false, false);
        product.addRare(true, false);
        return List.copyOf(product.cases);
    }
}
