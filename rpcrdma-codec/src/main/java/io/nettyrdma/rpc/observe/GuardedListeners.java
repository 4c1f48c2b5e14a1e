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
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.rpc.wire.Rejection;
import java.util.List;
import java.util.function.Consumer;

/** Tells several listeners, and keeps what they throw from everybody else. */
final class GuardedListeners implements RpcRdmaListener {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RpcRdmaListener.class);

    private final List<RpcRdmaListener> listeners;

    GuardedListeners(List<RpcRdmaListener> listeners) {
        this.listeners = listeners;
    }

    private void tell(Channel channel, Consumer<RpcRdmaListener> event) {
        for (RpcRdmaListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                // Errors too: this is in the middle of a call's end, which must not depend on who watches it.
                LOGGER.warn("{} listener failed", channel, e);
            }
        }
    }

    @Override
    public void connectionOpened(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters) {
        tell(channel, listener -> listener.connectionOpened(channel, role, parameters));
    }

    @Override
    public void connectionClosed(
            Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters, long lifetimeNanos) {
        tell(channel, listener -> listener.connectionClosed(channel, role, parameters, lifetimeNanos));
    }

    @Override
    public void sent(Channel channel, RpcRdmaSummary message) {
        tell(channel, listener -> listener.sent(channel, message));
    }

    @Override
    public void received(Channel channel, RpcRdmaSummary message) {
        tell(channel, listener -> listener.received(channel, message));
    }

    @Override
    public void rejected(Channel channel, Rejection rejection) {
        tell(channel, listener -> listener.rejected(channel, rejection));
    }

    @Override
    public void replyUnmatched(Channel channel, RpcRdmaRole role, int xid) {
        tell(channel, listener -> listener.replyUnmatched(channel, role, xid));
    }

    @Override
    public void creditAwaited(Channel channel, int xid, long waitedNanos) {
        tell(channel, listener -> listener.creditAwaited(channel, xid, waitedNanos));
    }

    @Override
    public void chunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {
        tell(channel, listener -> listener.chunksTransferred(channel, transfer));
    }

    @Override
    public void memoryExposed(Channel channel, int registrations, long bytes) {
        tell(channel, listener -> listener.memoryExposed(channel, registrations, bytes));
    }

    @Override
    public void memoryWithdrawn(Channel channel, int registrations, long bytes) {
        tell(channel, listener -> listener.memoryWithdrawn(channel, registrations, bytes));
    }

    @Override
    public void callEnded(Channel channel, RpcRdmaCallReport call) {
        tell(channel, listener -> listener.callEnded(channel, call));
    }
}
