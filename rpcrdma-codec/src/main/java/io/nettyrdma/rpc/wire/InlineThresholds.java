// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire;

/**
 * The longest Send in each direction, header and payload together, fixed for the life of a connection (RFC 8166,
 * section 3.3.2). A message of exactly that length still fits.
 *
 * @param callBytes  requester to responder
 * @param replyBytes responder to requester
 */
public record InlineThresholds(int callBytes, int replyBytes) {

    /** The values that both sides assume while they know nothing of each other (RFC 8166, section 3.3.3). */
    public static final InlineThresholds DEFAULTS = between(CmPrivateData.DEFAULTS, CmPrivateData.DEFAULTS); // V1-027

    /** Each threshold is the smaller of what one side sends and the other receives. */
    public static InlineThresholds between(CmPrivateData requester, CmPrivateData responder) {
        return new InlineThresholds(
                Math.min(requester.sendBytes(), responder.receiveBytes()), // PD-010
                Math.min(responder.sendBytes(), requester.receiveBytes())); // PD-011, PD-012
    }
}
