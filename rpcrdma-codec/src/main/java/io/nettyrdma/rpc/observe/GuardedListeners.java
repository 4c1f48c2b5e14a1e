// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import io.netty.channel.Channel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.List;
import java.util.function.Consumer;

/** Passes events to several listeners; logs exceptions that one throws. */
final class GuardedListeners implements RpcRdmaListener {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RpcRdmaListener.class);

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
                logger.warn("{} listener failed", channel, e);
            }
        }
    }

    @Override
    public void onConnectionOpened(Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters) {
        tell(channel, listener -> listener.onConnectionOpened(channel, role, parameters));
    }

    @Override
    public void onConnectionClosed(
            Channel channel, RpcRdmaRole role, RpcRdmaParametersEvent parameters, long lifetimeNanos) {
        tell(channel, listener -> listener.onConnectionClosed(channel, role, parameters, lifetimeNanos));
    }

    @Override
    public void onSent(Channel channel, RpcRdmaSummary message) {
        tell(channel, listener -> listener.onSent(channel, message));
    }

    @Override
    public void onReceived(Channel channel, RpcRdmaSummary message) {
        tell(channel, listener -> listener.onReceived(channel, message));
    }

    @Override
    public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
        tell(channel, listener -> listener.onRejected(channel, rejection));
    }

    @Override
    public void onRefreshSent(Channel channel, RpcRdmaRole role, int credits) {
        tell(channel, listener -> listener.onRefreshSent(channel, role, credits));
    }

    @Override
    public void onRefreshReceived(Channel channel, RpcRdmaRole role, int credits) {
        tell(channel, listener -> listener.onRefreshReceived(channel, role, credits));
    }

    @Override
    public void onContinued(Channel channel, RpcRdmaContinuationReport message) {
        tell(channel, listener -> listener.onContinued(channel, message));
    }

    @Override
    public void onReplyUnmatched(Channel channel, RpcRdmaRole role, int xid) {
        tell(channel, listener -> listener.onReplyUnmatched(channel, role, xid));
    }

    @Override
    public void onCallBegun(Channel channel, RpcRdmaRole role, int xid) {
        tell(channel, listener -> listener.onCallBegun(channel, role, xid));
    }

    @Override
    public void onCreditWait(Channel channel, int xid, boolean waits) {
        tell(channel, listener -> listener.onCreditWait(channel, xid, waits));
    }

    @Override
    public void onReconnecting(Channel channel) {
        tell(channel, listener -> listener.onReconnecting(channel));
    }

    @Override
    public void onCreditAwaited(Channel channel, int xid, long waitedNanos) {
        tell(channel, listener -> listener.onCreditAwaited(channel, xid, waitedNanos));
    }

    @Override
    public void onChunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {
        tell(channel, listener -> listener.onChunksTransferred(channel, transfer));
    }

    @Override
    public void onMemoryExposed(Channel channel, int registrations, long bytes) {
        tell(channel, listener -> listener.onMemoryExposed(channel, registrations, bytes));
    }

    @Override
    public void onMemoryWithdrawn(Channel channel, int registrations, long bytes) {
        tell(channel, listener -> listener.onMemoryWithdrawn(channel, registrations, bytes));
    }

    @Override
    public void onCallEnded(Channel channel, RpcRdmaCallReport call) {
        tell(channel, listener -> listener.onCallEnded(channel, call));
    }
}
