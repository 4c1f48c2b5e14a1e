// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import io.netty.util.internal.UnstableApi;

/**
 * The peer of a connection of version 2 is not authenticated: the hook of {@code
 * RpcRdmaVersion2Settings.hostAuthentication} refuses it or fails, the peer does not take part, or the handshake needs
 * more messages than a side may send. The connection ends.
 */
@UnstableApi
public final class HostAuthenticationException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** @param message why the peer is refused */
    public HostAuthenticationException(String message) {
        super(message);
    }

    /**
     * @param message why the peer is refused
     * @param cause the exception that caused this one
     */
    public HostAuthenticationException(String message, Throwable cause) {
        super(message);
        initCause(cause);
    }
}
