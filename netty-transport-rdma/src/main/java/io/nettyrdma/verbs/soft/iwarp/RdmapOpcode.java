// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

/** RDMAP opcodes (RFC 5040, section 4.3) and what follows from them. */
public final class RdmapOpcode {

    /** RDMA Write; tagged. */
    public static final int WRITE = 0;
    /** RDMA Read Request; untagged, queue 1. */
    public static final int READ_REQUEST = 1;
    /** RDMA Read Response; tagged. */
    public static final int READ_RESPONSE = 2;
    /** Send; untagged, queue 0, as are the three that follow. */
    public static final int SEND = 3;
    /** Send with Invalidate. */
    public static final int SEND_INVALIDATE = 4;
    /** Send with Solicited Event. */
    public static final int SEND_SOLICITED = 5;
    /** Send with Solicited Event and Invalidate. */
    public static final int SEND_SOLICITED_INVALIDATE = 6;
    /** Terminate; untagged, queue 2. */
    public static final int TERMINATE = 7;

    private RdmapOpcode() {}

    /** Whether RFC 5040 defines the opcode. */
    public static boolean isDefined(int opcode) {
        return opcode <= TERMINATE;
    }

    /** Whether messages of this opcode are tagged. */
    public static boolean isTagged(int opcode) {
        return opcode == WRITE || opcode == READ_RESPONSE;
    }

    /** Whether the opcode asks the receiver to invalidate an STag. */
    public static boolean invalidates(int opcode) {
        return opcode == SEND_INVALIDATE || opcode == SEND_SOLICITED_INVALIDATE;
    }

    /** The Send opcode with the given properties. */
    public static int send(boolean solicited, boolean invalidate) {
        return SEND + (invalidate ? 1 : 0) + (solicited ? 2 : 0);
    }

    /** Octets of the ULPDU that every segment of the opcode has at least. */
    public static int minimumUlpduBytes(int opcode) {
        switch (opcode) {
            case WRITE:
            case READ_RESPONSE:
                return Ddp.TAGGED_HEADER_BYTES;
            case READ_REQUEST:
                return Ddp.UNTAGGED_HEADER_BYTES + ReadRequest.BYTES;
            case TERMINATE:
                return Ddp.UNTAGGED_HEADER_BYTES + Terminate.CONTROL_BYTES;
            default:
                return Ddp.UNTAGGED_HEADER_BYTES;
        }
    }

    /** Name for messages. */
    public static String name(int opcode) {
        switch (opcode) {
            case WRITE:
                return "RDMA Write";
            case READ_REQUEST:
                return "RDMA Read Request";
            case READ_RESPONSE:
                return "RDMA Read Response";
            case SEND:
                return "Send";
            case SEND_INVALIDATE:
                return "Send with Invalidate";
            case SEND_SOLICITED:
                return "Send with Solicited Event";
            case SEND_SOLICITED_INVALIDATE:
                return "Send with Solicited Event and Invalidate";
            case TERMINATE:
                return "Terminate";
            default:
                return "opcode " + opcode;
        }
    }
}
