// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import org.jspecify.annotations.Nullable;

/** What the side that listens accepts and answers in the MPA start-up (RFC 5044, section 7.1; RFC 6581, section 9). */
public final class MpaResponder {

    private final CrcMode crcMode;
    private final int maxDepth;
    private final MpaFrame request;

    /** @param maxDepth largest number of Reads this side can hold or have outstanding */
    public MpaResponder(CrcMode crcMode, int maxDepth, MpaFrame request) {
        this.crcMode = crcMode;
        this.maxDepth = maxDepth;
        this.request = request;
    }

    /** Why the request has to be rejected without asking the upper layer, or {@code null}. */
    public @Nullable String refuse() {
        if (request.markers()) {
            return "peer wants markers, which are not supported";
        }
        if (request.crc() && crcMode == CrcMode.NEVER) {
            return "peer wants CRCs, which are switched off here";
        }
        return null;
    }

    /** Inbound Reads that the initiator can hold; 0 if it did not say. */
    public int peerIrd() {
        EnhancedData enhanced = request.enhanced();
        return enhanced == null ? 0 : Math.min(enhanced.ird(), maxDepth);
    }

    /** Reads that the initiator wants to have outstanding; 0 if it did not say. */
    public int peerOrd() {
        EnhancedData enhanced = request.enhanced();
        return enhanced == null ? 0 : Math.min(enhanced.ord(), maxDepth);
    }

    /** What results if the upper layer accepts with these depths. */
    public MpaTerms terms(int ird, int ord) {
        boolean crc = request.crc() || crcMode == CrcMode.REQUIRE;
        int ownIrd = Math.min(ird, maxDepth);
        int ownOrd = Math.min(ord, maxDepth);
        EnhancedData enhanced = request.enhanced();
        if (enhanced == null) {
            return new MpaTerms(crc, ownIrd, ownOrd, false);
        }
        // RFC 6581, section 9.1: the responder's IRD covers the initiator's ORD, its ORD stays within the
        // initiator's IRD. With the Read as RTR, one inbound Read will come even if the initiator's ORD is 0.
        if (enhanced.ord() != EnhancedData.NOT_NEGOTIATED) {
            ownIrd = Math.max(ownIrd, peerOrd());
        }
        if (enhanced.peerToPeer()) {
            ownIrd = Math.max(ownIrd, 1);
        }
        if (enhanced.ird() != EnhancedData.NOT_NEGOTIATED) {
            // At least 1 if the initiator can hold one: Linux allocates no queue for Reads when told 0, and an NFS
            // client's server has to read.
            ownOrd = Math.min(peerIrd(), Math.max(ownOrd, 1));
        }
        return new MpaTerms(crc, ownIrd, ownOrd, true);
    }

    /** The Reply that accepts. */
    public MpaFrame accept(MpaTerms terms, byte[] privateData) {
        return reply(false, terms.crc(), enhancedReply(terms.ird(), terms.ord()), privateData);
    }

    /** The Reply that rejects. */
    public MpaFrame reject(byte[] privateData) {
        MpaTerms terms = terms(0, 0);
        return reply(true, request.crc(), enhancedReply(terms.ird(), terms.ord()), privateData);
    }

    private MpaFrame reply(boolean rejected, boolean crc, @Nullable EnhancedData enhanced, byte[] privateData) {
        // An enhanced request is answered enhanced, another one is not (RFC 6581, section 10); the revision is
        // echoed, reserved bits are not.
        return new MpaFrame(true, false, crc, rejected, request.revision(), enhanced, privateData);
    }

    private @Nullable EnhancedData enhancedReply(int ird, int ord) {
        EnhancedData asked = request.enhanced();
        if (asked == null) {
            return null;
        }
        int irdWord = asked.ord() == EnhancedData.NOT_NEGOTIATED ? EnhancedData.NOT_NEGOTIATED : ird;
        int ordWord = asked.ird() == EnhancedData.NOT_NEGOTIATED ? EnhancedData.NOT_NEGOTIATED : ord;
        if (!asked.peerToPeer()) {
            return EnhancedData.clientServer(irdWord, ordWord);
        }
        // RFC 6581, section 9.2: A comes back, with one RTR of those offered. A zero-length Send would consume a
        // posted receive, so it is never chosen; a peer that offers nothing else learns that it has to Write.
        boolean readRtr = asked.readRtr() && !asked.writeRtr();
        return new EnhancedData(true, false, !readRtr, readRtr, irdWord, ordWord);
    }
}
