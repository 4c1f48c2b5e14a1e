// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.RemoteRefusal;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import org.jspecify.annotations.Nullable;

/** Receives the replies of a {@link MessageLink}. It owns their payload streams. */
public interface ReplyReceiver {

    /** A reply without chunks, while no listener observes messages: it costs no object for the header. */
    void onInlineReply(int xid, long credits, ByteBuf payload);

    /**
     * A valid message.
     *
     * @param payload what is behind the header of an {@code RDMA_MSG}, otherwise {@code null}
     */
    void onMessage(RpcRdmaMessage header, @Nullable ByteBuf payload);

    /** The answer to a call is no reply, and nothing else will come. */
    void onError(RpcRdmaException error);

    /** An error that says why, and perhaps what would have been accepted. */
    void onRefused(RemoteRefusal refusal);

    /** Whether a call with this XID waits for its reply. */
    boolean expects(int xid);

    /** Messages are coming; the end of the read says when all have come. */
    void onReadStarted();

    /** The version is known: which calls may be sent is another object's business from now on. */
    void useCredits(CallCredits credits);

    /** Calls that wait may perhaps be sent, otherwise than because one was answered. */
    void onCreditsChanged();
}
