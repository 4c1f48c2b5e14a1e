// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

/** Waits that are the same for all programs, in milliseconds. Only tests change them. Not thread-safe. */
final class SoftTimeouts implements Cloneable {

    /**
     * How long a responder waits for the whole MPA Request before it closes.
     *
     * <p>With {@link #acceptMillis} it bounds for how long strangers cost memory; the backlog of the listener bounds
     * how many do. One costs a socket and at most 1.5 KiB of heap until its request is complete, then at most 3 KiB,
     * with the longest private data; and 1 KiB of direct memory if the request comes in pieces. Measured over 1,000:
     * 1.0 KiB if it says nothing, 2.2 KiB of both with all but one octet of the longest request, 2.4 KiB with all.
     */
    int mpaRequestMillis = 5_000;

    /**
     * How long a half-open connection may be silent before another takes its place in a full backlog. Until then it may
     * be one of many good ones that have just come together, whose hosts are busy; the next one waits in the kernel. Of
     * those whose MPA Request is not complete the oldest goes first, and before all others one of the address that has
     * most of them (the network of 64 bits, with IPv6). Those that have sent their request are never replaced.
     *
     * <p>So the most that silent strangers can do to another peer is to make it wait for this long once for each
     * backlog (SO_BACKLOG) of them that the kernel has queued before it. The kernel queues no more than the default
     * backlog holds: with that, the peer waits for at most twice as long.
     */
    int silenceGraceMillis = 1_000;

    /** How long an initiator waits for the whole MPA Reply. */
    int mpaReplyMillis = 10_000;

    /** How long a connection request may wait for accept or reject; then it is rejected. */
    int acceptMillis = 10_000;

    /**
     * How long a responder holds back its first FPDU if the initiator, against RFC 5044, section 7.1.2, does not speak
     * first.
     */
    int firstFpduMillis = 100;

    /**
     * How long an FPDU may take from its first octet to its last before the connection is terminated, and at most twice
     * as long, because the clock is not read for every FPDU. RFC 5044, section 7.1.2, rule 10, asks for such a limit: a
     * length that was changed on its way makes both sides wait for octets that never come. Silence between two FPDUs is
     * not limited.
     *
     * <p>What has come of an unfinished FPDU takes up to 128 KiB of direct memory per connection for that long. An FPDU
     * has up to 65,544 octets: the slowest link brings 2.2 kilobytes per second.
     */
    int partialFpduMillis = 30_000;

    /** How long a closing connection tries to get its last octets out, and waits for more octets or the peer's FIN. */
    int lingerMillis = 2_000;

    SoftTimeouts copy() {
        try {
            return (SoftTimeouts) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}
