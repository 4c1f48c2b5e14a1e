// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * The responder answered {@code ERR_CHUNK}: it could not decode the call or convey its reply (RFC 8166, section 4.5.2
 * and 4.5.3). The same call would fail again.
 */
public final class RemoteChunkException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** @param limits sizes that the call offered, and the settings behind them */
    public RemoteChunkException(int xid, String limits) {
        super(
                xid,
                "responder answered ERR_CHUNK; " + limits + "; if none of these is too small, the responder"
                        + " may lack memory, which its log says");
    }
}
