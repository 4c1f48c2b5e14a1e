// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import java.net.ConnectException;

/** The peer answered, and rejected the connection. The connect future fails with it. */
public final class RdmaConnectRejectedException extends ConnectException {

    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // bytes are serializable
    private final byte[] privateData;

    public RdmaConnectRejectedException(String message, byte[] privateData) {
        super(message);
        this.privateData = privateData;
    }

    /** Returns the private data of the peer's rejection, empty if it has none. */
    public byte[] privateData() {
        return privateData.clone();
    }
}
