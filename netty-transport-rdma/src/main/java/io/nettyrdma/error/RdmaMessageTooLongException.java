// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

/**
 * A written message is longer than {@code RDMA_MAX_SEND_SIZE} or, with flow control, than the limit that the peer
 * has set for messages in pieces. Nothing was sent and the channel stays usable.
 */
public final class RdmaMessageTooLongException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    private final int lengthBytes;
    private final long maxBytes;

    private RdmaMessageTooLongException(String message, int lengthBytes, long maxBytes) {
        super(message);
        this.lengthBytes = lengthBytes;
        this.maxBytes = maxBytes;
    }

    public static RdmaMessageTooLongException forSend(int lengthBytes, int maxBytes) {
        return new RdmaMessageTooLongException(
                "message of " + lengthBytes + " bytes exceeds RDMA_MAX_SEND_SIZE=" + maxBytes
                        + "; add RdmaFlowControlHandler on both sides, which sends longer ones in pieces, or raise it"
                        + " together with the peer's RDMA_RECEIVE_SIZE, or transfer the data by RDMA Read or Write",
                lengthBytes,
                maxBytes);
    }

    public static RdmaMessageTooLongException forPeer(int lengthBytes, long maxBytes) {
        return new RdmaMessageTooLongException(
                "message of " + lengthBytes + " bytes exceeds the " + maxBytes
                        + " bytes of the peer's maxMessageBytes (RdmaFlowControlConfig)",
                lengthBytes,
                maxBytes);
    }

    /** Returns the length of the message, in bytes. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Returns the limit that it exceeds, in bytes; the message names it. */
    public long maxBytes() {
        return maxBytes;
    }
}
