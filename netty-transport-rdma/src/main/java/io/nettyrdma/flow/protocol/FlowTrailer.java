// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

/**
 * The last 8 octets of each message, as one big-endian number:
 *
 * <pre>
 * bits 63  MORE: another piece of the same message follows
 *      62  REPORT: raise the limit as soon as this message is consumed
 *      61  EMPTY: a message without data, which the limit does not count
 *      60  ANSWER: it is the answer to one that asked for it; only with EMPTY
 *      59  ASK: send something soon; only with EMPTY, and not with ANSWER
 *      58  CUT: the end, without all that was flushed; only with EMPTY, and with neither ANSWER nor ASK
 *      48 to 57  0
 *      32 to 47  returned: messages with EMPTY and without ANSWER that have arrived, modulo 65,536
 *       0 to 31  limit: messages with data that may be sent in all, modulo 2^32
 * </pre>
 */
public final class FlowTrailer {

    /** Octets of a trailer. */
    public static final int BYTES = Long.BYTES;

    static final long MORE = 1L << 63;
    static final long REPORT = 1L << 62;
    static final long EMPTY = 1L << 61;
    static final long ANSWER = 1L << 60;
    static final long ASK = 1L << 59;
    static final long CUT = 1L << 58;

    private static final long NOT_USED = 0x03ffL << 48;
    private static final int RETURNED_SHIFT = 32;
    private static final long RETURNED_MASK = 0xffffL;
    private static final long LIMIT_MASK = 0xffff_ffffL;

    private FlowTrailer() {}

    static long of(long flags, int returned, int limit) {
        return flags | (returned & RETURNED_MASK) << RETURNED_SHIFT | limit & LIMIT_MASK;
    }

    /** Returns whether the message has data. */
    public static boolean hasData(long trailer) {
        return (trailer & EMPTY) == 0;
    }

    /** Returns whether another piece of the same message follows. */
    public static boolean hasMore(long trailer) {
        return (trailer & MORE) != 0;
    }

    static boolean wantsReport(long trailer) {
        return (trailer & REPORT) != 0;
    }

    static boolean isAnswer(long trailer) {
        return (trailer & ANSWER) != 0;
    }

    static boolean asks(long trailer) {
        return (trailer & ASK) != 0;
    }

    /** Returns whether the sender ends the connection before it has sent all messages that were flushed. */
    public static boolean isCut(long trailer) {
        return (trailer & CUT) != 0;
    }

    static int returned(long trailer) {
        return (int) (trailer >>> RETURNED_SHIFT & RETURNED_MASK);
    }

    static int limit(long trailer) {
        return (int) trailer;
    }

    /** Throws unless the flags make sense together. */
    static void check(long trailer) throws FlowProtocolException {
        boolean valid = (trailer & NOT_USED) == 0
                && (hasData(trailer)
                        ? (trailer & (ANSWER | ASK | CUT)) == 0
                        : (trailer & (MORE | REPORT)) == 0 && Long.bitCount(trailer & (ANSWER | ASK | CUT)) <= 1);
        if (!valid) {
            throw new FlowProtocolException(
                    "flags of the peer's message: 0x" + Integer.toHexString((int) (trailer >>> 48)) + " (expected:"
                            + " 0x8000 MORE and 0x4000 REPORT, or 0x2000 EMPTY with 0x1000 ANSWER, 0x0800 ASK or"
                            + " 0x0400 CUT, or alone)");
        }
    }
}
