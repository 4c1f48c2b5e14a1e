// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

/**
 * The errors a Terminate can report: layer, error type, error code, and which headers go with it.
 *
 * <p>RFC 5040, section 4.8 (figures 9 and 10); RFC 5041, section 7.2; RFC 5044, section 8; RFC 6581, section 8.
 */
public enum TerminateError {
    /** A fault of the sender's own, such as a bad local key. */
    RDMAP_LOCAL_CATASTROPHIC(0, 0, 0xff, "RDMAP/local catastrophic error"),
    /** A Read names an STag that is not there. */
    RDMAP_INVALID_STAG(0, 1, 0, "RDMAP/remote protection/invalid STag"),
    /** A Read leaves its region. */
    RDMAP_BOUNDS(0, 1, 1, "RDMAP/remote protection/base or bounds"),
    /** A Read without the right to. */
    RDMAP_ACCESS(0, 1, 2, "RDMAP/remote protection/access rights"),
    /** A Read of another protection domain's STag. */
    RDMAP_STAG_NOT_ASSOCIATED(0, 1, 3, "RDMAP/remote protection/STag not associated with stream"),
    /** A Read over the end of the offset space. */
    RDMAP_TO_WRAP(0, 1, 4, "RDMAP/remote protection/TO wrap"),
    /** A Send with Invalidate whose STag cannot be invalidated. */
    RDMAP_CANNOT_INVALIDATE(0, 1, 9, "RDMAP/remote protection/STag cannot be invalidated"),
    RDMAP_VERSION(0, 2, 5, "RDMAP/remote operation/invalid RDMAP version"),
    /** Opcode unknown, or not expected here. */
    RDMAP_OPCODE(0, 2, 6, "RDMAP/remote operation/unexpected opcode"),
    /** Anything that ends this stream only. */
    RDMAP_CATASTROPHIC_STREAM(0, 2, 7, "RDMAP/remote operation/catastrophic error of the stream"),
    /** A fault of the receiver's own below RDMAP, such as a bad key in a posted receive. */
    DDP_LOCAL_CATASTROPHIC(1, 0, 0, "DDP/local catastrophic error"),
    /** A tagged segment names an STag that is not there. */
    DDP_INVALID_STAG(1, 1, 0, "DDP/tagged buffer/invalid STag"),
    /** A tagged segment leaves its region. */
    DDP_BOUNDS(1, 1, 1, "DDP/tagged buffer/base or bounds"),
    /** A tagged segment for another protection domain. */
    DDP_STAG_NOT_ASSOCIATED(1, 1, 2, "DDP/tagged buffer/STag not associated with stream"),
    /** A tagged segment over the end of the offset space. */
    DDP_TO_WRAP(1, 1, 3, "DDP/tagged buffer/TO wrap"),
    DDP_TAGGED_VERSION(1, 1, 4, "DDP/tagged buffer/invalid DDP version"),
    DDP_INVALID_QUEUE(1, 2, 1, "DDP/untagged buffer/invalid QN"),
    /** Nothing posted, or more Read Requests than were agreed. */
    DDP_NO_BUFFER(1, 2, 2, "DDP/untagged buffer/no buffer"),
    /** Message sequence number. */
    DDP_MSN_RANGE(1, 2, 3, "DDP/untagged buffer/MSN out of range"),
    DDP_INVALID_OFFSET(1, 2, 4, "DDP/untagged buffer/invalid MO"),
    /** The message does not fit. */
    DDP_TOO_LONG(1, 2, 5, "DDP/untagged buffer/message too long"),
    DDP_UNTAGGED_VERSION(1, 2, 6, "DDP/untagged buffer/invalid DDP version"),
    MPA_CONNECTION_LOST(2, 0, 1, "LLP/MPA/TCP connection closed"),
    MPA_CRC(2, 0, 2, "LLP/MPA/CRC error"),
    /** FPDU length that cannot be. */
    MPA_LENGTH(2, 0, 3, "LLP/MPA/marker and length mismatch"),
    MPA_STARTUP_FRAME(2, 0, 4, "LLP/MPA/invalid start-up frame"),
    /** Anything of MPA without a code of its own. */
    MPA_LOCAL_CATASTROPHIC(2, 0, 5, "LLP/MPA/local catastrophic error"),
    /** The peer wants more inbound Reads than can be held. */
    MPA_INSUFFICIENT_IRD(2, 0, 6, "LLP/MPA/insufficient IRD"),
    /** No common ready-to-receive message. */
    MPA_NO_RTR(2, 0, 7, "LLP/MPA/no matching RTR");

    private static final TerminateError[] ALL = values();

    private final int layer;
    private final int errorType;
    private final int code;
    private final String text;

    TerminateError(int layer, int errorType, int code, String text) {
        this.layer = layer;
        this.errorType = errorType;
        this.code = code;
        this.text = text;
    }

    /** 0 RDMAP, 1 DDP, 2 LLP. */
    public int layer() {
        return layer;
    }

    /** Error type within the layer. */
    public int errorType() {
        return errorType;
    }

    /** Error code within the error type. */
    public int code() {
        return code;
    }

    /** Whether it is what these three say. */
    boolean is(int otherLayer, int otherType, int otherCode) {
        return layer == otherLayer && errorType == otherType && code == otherCode;
    }

    /** Whether the Terminate carries the DDP header and segment length of the offending segment. */
    public boolean carriesDdpHeader() {
        // RFC 5040, figure 10: never for local catastrophic errors and errors of the LLP, else "if possible".
        return layer == 1 ? errorType != 0 : layer == 0 && errorType != 0;
    }

    /** Whether the Terminate carries the Read Request header, if the offending message is a Read Request. */
    public boolean carriesReadRequest() {
        return layer == 0 && errorType == 1;
    }

    /** Layer, type and code in words. */
    public String text() {
        return text;
    }

    /** In words, also for combinations that no document defines. */
    static String text(int layer, int errorType, int code) {
        for (TerminateError error : ALL) {
            if (error.is(layer, errorType, code)) {
                return error.text;
            }
        }
        if (errorType == 0 && layer <= 1) {
            return (layer == 0 ? RDMAP_LOCAL_CATASTROPHIC : DDP_LOCAL_CATASTROPHIC).text;
        }
        return "layer " + layer + "/type " + errorType + "/code " + code;
    }
}
