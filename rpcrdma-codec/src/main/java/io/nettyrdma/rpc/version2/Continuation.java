// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

/**
 * Where a message is cut that does not fit one Send: into fragments that are multiples of 4 octets, of which the last
 * has what is left, and the chunk lists in its header (draft -01, sections 4.4.2 and 6.2.2.2). Each is as full as it
 * can be, but for the last two: every fragment has at least 4 octets (C6), also the last one, whose lists may take most
 * of its Send.
 *
 * <p>Threading: immutable.
 */
final class Continuation {

    private static final int MIN_PAYLOAD_BYTES = 4;

    /**
     * Octets that a Send must leave for the last fragment behind its lists, so that a remainder of up to 3 octets goes
     * into it with a word in front of it.
     */
    static final int MIN_LAST_ROOM_BYTES = 8;

    private final int payloadBytes;
    private final int fullBytes;
    private final int fragments;

    /** Octets of the last fragment but one. */
    private final int secondLastBytes;

    private Continuation(int payloadBytes, int fullBytes, int fragments, int secondLastBytes) {
        this.payloadBytes = payloadBytes;
        this.fullBytes = fullBytes;
        this.fragments = fragments;
        this.secondLastBytes = secondLastBytes;
    }

    /**
     * Whether headers leave enough room for a message of any length to be continued.
     *
     * @param thresholdBytes  the longest Send
     * @param headerBytes     of a fragment without lists
     * @param lastHeaderBytes of the last fragment, with its lists; at least {@code headerBytes}
     */
    static boolean isPossible(int thresholdBytes, int headerBytes, int lastHeaderBytes) {
        return thresholdBytes - headerBytes >= MIN_PAYLOAD_BYTES
                && thresholdBytes - lastHeaderBytes >= MIN_LAST_ROOM_BYTES;
    }

    /**
     * Cuts a message; the first three parameters are those of {@link #isPossible}.
     *
     * @param payloadBytes octets of the payload stream, at least 4
     * @throws IllegalArgumentException if it is not possible
     */
    static Continuation cut(int thresholdBytes, int headerBytes, int lastHeaderBytes, int payloadBytes) {
        if (!isPossible(thresholdBytes, headerBytes, lastHeaderBytes) || payloadBytes < MIN_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("threshold " + thresholdBytes + ", headers " + headerBytes + " and "
                    + lastHeaderBytes + ", payload " + payloadBytes);
        }
        int full = thresholdBytes - headerBytes & ~3; // C6
        int last = thresholdBytes - lastHeaderBytes; // V2-108
        if (payloadBytes <= last) {
            return new Continuation(payloadBytes, full, 1, 0);
        }
        int fragments = 1 + (payloadBytes - last + full - 1) / full;
        int tail = payloadBytes - (fragments - 2) * full; // of the last two
        return new Continuation(payloadBytes, full, fragments, Math.min(full, tail - MIN_PAYLOAD_BYTES & ~3));
    }

    /** The number of fragments; 1 if the message fits one Send. */
    int fragments() {
        return fragments;
    }

    /** Octet of the payload stream at which a fragment begins, counted from 0. */
    int offset(int fragment) {
        assert fragment >= 0 && fragment < fragments;
        return fragment > 0 && fragment == fragments - 1
                ? (fragment - 1) * fullBytes + secondLastBytes
                : fragment * fullBytes; // V2-008, V2-009
    }

    /** Octets of the payload stream in a fragment, at least 4. */
    int lengthBytes(int fragment) {
        return (fragment == fragments - 1 ? payloadBytes : offset(fragment + 1)) - offset(fragment);
    }
}
