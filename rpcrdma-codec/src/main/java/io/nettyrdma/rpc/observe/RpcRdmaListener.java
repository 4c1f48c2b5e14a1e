/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.observe;

import io.netty.channel.Channel;
import io.nettyrdma.rpc.wire.Rejection;
import java.util.List;

/**
 * Sees what happens on RPC-over-RDMA channels, for logs and metrics; {@link
 * io.nettyrdma.rpc.RpcRdmaConfig.Builder#listener} takes one. Without a listener nothing is collected, and no clock is
 * read.
 *
 * <p>Threading: called on the executor of the handler, so it must not block; a listener of several connections is
 * called by several threads. What it throws is logged and has no effect.
 */
public interface RpcRdmaListener {

    /** All of these, in this order; what one throws does not keep the others from being called. */
    static RpcRdmaListener of(RpcRdmaListener... listeners) {
        return listeners.length == 1 && listeners[0] instanceof GuardedListeners
                ? listeners[0]
                : new GuardedListeners(List.of(listeners));
    }

    /** A connection is ready for calls. Only told if the handler saw it become active. */
    default void onConnectionOpened(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters) {}

    /** A connection of which {@link #onConnectionOpened} was told has ended, {@code lifetimeNanos} after that. */
    default void onConnectionClosed(
            Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters, long lifetimeNanos) {}

    /** A message was handed to the channel. */
    default void onSent(Channel channel, RpcRdmaSummary message) {}

    /** A valid message was received, also an error. */
    default void onReceived(Channel channel, RpcRdmaSummary message) {}

    /** A received message was not valid; the rejection names the defect and the answer. */
    default void onRejected(Channel channel, Rejection rejection) {}

    /**
     * A credit refresh of version 2 was handed to the channel. Threading: the executor of the handler, as for all
     * events.
     *
     * @param role    of this end in the forward direction: credits belong to both directions
     * @param credits granted newly, in messages, 0 to 65535
     */
    default void onRefreshSent(Channel channel, RpcRdmaRole role, int credits) {}

    /** A credit refresh of version 2 was received; parameters and threading as for {@link #onRefreshSent}. */
    default void onRefreshReceived(Channel channel, RpcRdmaRole role, int credits) {}

    /**
     * A message of version 2 that did not fit one Send was handed to the channel to its last fragment, or received to
     * its last fragment and is valid. Told besides {@link #onSent}, which is told when the message is made, and before
     * {@link #onReceived}; on the same thread.
     */
    default void onContinued(Channel channel, RpcRdmaContinuationReport message) {}

    /**
     * A reply matches no call: at a requester one that was received, or one whose chunks are not those of its call; at
     * a responder one that was written. It had no effect.
     */
    default void onReplyUnmatched(Channel channel, RpcRdmaRole role, int xid) {}

    /**
     * A requester's call was sent after it had to wait for a credit. Calls that do not wait are not told of, nor are
     * those that end while they wait.
     */
    default void onCreditAwaited(Channel channel, int xid, long waitedNanos) {}

    /** Chunks were transferred. Told before the end of their call. */
    default void onChunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {}

    /** A requester has registered memory for the chunks of a call: so many registrations, of so many octets. */
    default void onMemoryExposed(Channel channel, int registrations, long bytes) {}

    /** What {@link #onMemoryExposed} told of is out of the peer's reach again. */
    default void onMemoryWithdrawn(Channel channel, int registrations, long bytes) {}

    /** A call has ended. Told once per call, at a requester before the application hears of it. */
    default void onCallEnded(Channel channel, RpcRdmaCallReport call) {}
}
