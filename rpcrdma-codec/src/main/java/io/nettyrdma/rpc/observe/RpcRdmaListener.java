// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import io.netty.channel.Channel;
import io.netty.util.internal.UnstableApi;

/**
 * Receives the events of RPC-over-RDMA channels, for logs and metrics. Add it with {@link
 * io.nettyrdma.rpc.RpcRdmaConfig.Builder#listener}. Without a listener nothing is collected, and no clock is read.
 *
 * <p>Threading: called on the executor of the handler, so it must not block; several threads call a listener of several
 * connections. Exceptions that it throws are logged and have no effect.
 */
public interface RpcRdmaListener {

    /** A connection is ready for calls. Only called if the handler saw it become active. */
    default void onConnectionOpened(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters) {}

    /** A connection has ended, {@code lifetimeNanos} after {@link #onConnectionOpened} was called for it. */
    default void onConnectionClosed(
            Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters, long lifetimeNanos) {}

    /** A message was handed to the channel. */
    default void onSent(Channel channel, RpcRdmaSummary message) {}

    /** A valid message was received, including errors. */
    default void onReceived(Channel channel, RpcRdmaSummary message) {}

    /** An invalid message was received; the report names the defect and the reaction. */
    default void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {}

    /**
     * A credit refresh of version 2 was handed to the channel.
     *
     * @param role of this end in the forward direction, because both directions share the credits
     * @param credits newly granted, in messages, 0 to 65535
     */
    @UnstableApi
    default void onRefreshSent(Channel channel, RpcRdmaRole role, int credits) {}

    /** A credit refresh of version 2 was received; parameters as for {@link #onRefreshSent}. */
    @UnstableApi
    default void onRefreshReceived(Channel channel, RpcRdmaRole role, int credits) {}

    /**
     * The last fragment of a message of version 2 was handed to the channel, or was received and the message is valid.
     * Called in addition to {@link #onSent}, which is called when the message is created, and before {@link
     * #onReceived}.
     */
    @UnstableApi
    default void onContinued(Channel channel, RpcRdmaContinuationReport message) {}

    /**
     * A reply without effect, because it matches no call: received by a requester, perhaps with chunks that its call
     * did not offer, or written at a responder.
     */
    default void onReplyUnmatched(Channel channel, RpcRdmaRole role, int xid) {}

    /** A call begins: a requester's handler takes it, or a responder has received it. {@link #onCallEnded} follows. */
    default void onCallBegun(Channel channel, RpcRdmaRole role, int xid) {}

    /**
     * A requester's call begins to wait for a credit, or does not wait any more, because it is sent or has ended.
     *
     * @param waits whether it waits now; each {@code true} is followed by one {@code false}
     */
    default void onCreditWait(Channel channel, int xid, boolean waits) {}

    /**
     * A requester's call was sent after it waited for a credit. Not called for calls that do not wait or that end while
     * waiting.
     */
    default void onCreditAwaited(Channel channel, int xid, long waitedNanos) {}

    /**
     * A client connects again, after its last connection has ended or could not be made.
     *
     * @param channel the new one, which is not connected yet
     */
    default void onReconnecting(Channel channel) {}

    /** Chunks were transferred. Called before the end of their call. */
    default void onChunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {}

    /** A requester has registered memory for the chunks of a call, {@code bytes} in {@code registrations}. */
    default void onMemoryExposed(Channel channel, int registrations, long bytes) {}

    /** The peer can no longer access memory reported by {@link #onMemoryExposed}. */
    default void onMemoryWithdrawn(Channel channel, int registrations, long bytes) {}

    /** A call has ended. Called once per call, at a requester before the application learns of it. */
    default void onCallEnded(Channel channel, RpcRdmaCallReport call) {}
}
