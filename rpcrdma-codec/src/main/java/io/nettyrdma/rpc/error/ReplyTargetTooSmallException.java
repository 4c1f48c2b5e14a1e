// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/** The target for a result is smaller than the longest possible result of the call. */
public final class ReplyTargetTooSmallException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final int writableBytes;
    private final int resultBytes;

    /** Creates the exception for a target of {@code writableBytes} and a result of up to {@code resultBytes}. */
    public ReplyTargetTooSmallException(int xid, int writableBytes, int resultBytes) {
        super(
                xid,
                "the target of RpcRdmaCall.replyInto has " + writableBytes
                        + " bytes from its index on, the longest result takes " + resultBytes
                        + "; give a longer target, or bound the result by the call or its binding");
        this.writableBytes = writableBytes;
        this.resultBytes = resultBytes;
    }

    /** Returns the bytes that fit into the target. */
    public int writableBytes() {
        return writableBytes;
    }

    /** Returns the longest possible result, in bytes. */
    public int resultBytes() {
        return resultBytes;
    }
}
