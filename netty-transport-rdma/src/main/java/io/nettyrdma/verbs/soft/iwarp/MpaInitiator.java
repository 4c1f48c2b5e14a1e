// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import org.jspecify.annotations.Nullable;

/** What the side that connects says and accepts in the MPA start-up (RFC 5044, section 7.1; RFC 6581, section 9). */
public final class MpaInitiator {

    private final CrcMode crcMode;
    private final int maxDepth;
    private final MpaFrame request;
    private final int ird;
    private final int ord;

    /** @param maxDepth largest number of inbound Reads this side can hold */
    public MpaInitiator(CrcMode crcMode, int maxDepth, int ird, int ord, byte[] privateData) {
        this.crcMode = crcMode;
        this.maxDepth = maxDepth;
        this.ird = Math.min(ird, maxDepth);
        this.ord = Math.min(ord, maxDepth);
        // M and A are never set: markers are not implemented, and Linux 6.1 does not survive a lost peer-to-peer
        // start-up.
        request = new MpaFrame(
                false,
                false,
                crcMode != CrcMode.NEVER,
                false,
                2, // of RFC 6581, which negotiates depths
                EnhancedData.clientServer(this.ird, this.ord),
                privateData);
    }

    /** The frame to send. */
    public MpaFrame request() {
        return request;
    }

    /**
     * Why the connection cannot be used, or {@code null} if it can.
     *
     * @param reply a Reply without the reject bit
     */
    public @Nullable String refuse(MpaFrame reply) {
        if (reply.markers()) {
            return "peer wants markers, which are not supported";
        }
        if (reply.crc() && crcMode == CrcMode.NEVER) {
            return "peer wants CRCs, which are switched off here";
        }
        return null;
    }

    /** Whether the peer wants more inbound Reads than this side can hold, to be answered by a Terminate. */
    public boolean isBeyondDepth(MpaFrame reply) {
        EnhancedData enhanced = reply.enhanced();
        // RFC 6581, section 9.1: the initiator MUST set its IRD at least to the responder's ORD, or terminate. A
        // value above the offer that still fits is taken, as Linux does.
        return enhanced != null && enhanced.ord() != EnhancedData.NOT_NEGOTIATED && enhanced.ord() > maxDepth;
    }

    /** What was agreed, if neither {@link #refuse} nor {@link #isBeyondDepth} objected. */
    public MpaTerms terms(MpaFrame reply) {
        boolean crc = request.crc() || reply.crc();
        EnhancedData enhanced = reply.enhanced();
        if (enhanced == null) {
            // A responder without RFC 6581: depths are what the two upper layers happen to have configured.
            return new MpaTerms(crc, ird, ord, false);
        }
        // "Not negotiated" leaves the local depth alone (RFC 6581, section 9.1); for the ORD, the minimum does so.
        int covered = enhanced.ord() == EnhancedData.NOT_NEGOTIATED ? 0 : enhanced.ord();
        return new MpaTerms(crc, Math.max(ird, covered), Math.min(ord, enhanced.ird()), true);
    }
}
