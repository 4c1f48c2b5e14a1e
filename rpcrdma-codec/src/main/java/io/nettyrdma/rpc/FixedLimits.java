// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.util.internal.PlatformDependent;
import java.time.Duration;

/**
 * Limits that are the same for all programs: wide enough for every peer that means well, and cheap. Only tests change
 * them. Not thread-safe.
 */
final class FixedLimits implements Cloneable {

    /** Receives posted beyond the credits: for messages that need none, and for a requester that miscounts. */
    int receiveReserve = 8;

    /** Read chunks in one received header. */
    int maxReadChunks = 16;

    /** Write chunks in one received header. */
    int maxWriteChunks = 16;

    /** Segments of one received chunk in version 1. */
    int maxSegmentsPerChunk = 64;

    /** Segments of all chunks of one received header in version 2, which a transport property tells the peer. */
    int maxSegmentsPerHeader = 64;

    /**
     * Arguments that a requester sends as read chunks; a call that needs more is one long message. Linux servers of
     * versions 6.1 (6.1.192) and 6.12 (6.12.95) left a call with two read chunks unanswered.
     */
    int readChunksPerCall = 1;

    /** Results for which a requester provides write chunks: all that NFS servers must accept (RFC 8267, 5.4). */
    int writeChunksPerCall = 1;

    /**
     * RDMA Reads that a responder has in progress per connection; more segments wait. Beyond what a queue pair has in
     * flight it covers the time of a refill, which happens when half of them have completed.
     */
    int maxPullingReads = 256;

    /** RDMA Writes that a responder has in progress per connection; more segments, replies and calls wait. */
    int maxPushingWrites = 256;

    /** Longest RPC message of version 2 that is sent in several Sends even if chunks are available, in bytes. */
    int continuationBytes = 16 << 10;

    /** Longest time to negotiate the version and exchange properties. */
    Duration negotiationTimeout = Duration.ofSeconds(5);

    /** The share of direct memory in {@link #maxWaitingBytes}, which limits three sums; connections need the rest. */
    static final int WAITING_SHARE = 4;

    /** Bytes that all connections of the process hold for peers that keep them waiting, in each sum. */
    long maxWaitingBytes = PlatformDependent.maxDirectMemory() / WAITING_SHARE;

    FixedLimits copy() {
        try {
            return (FixedLimits) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}
