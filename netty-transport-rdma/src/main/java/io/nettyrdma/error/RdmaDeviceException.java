// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import java.io.IOException;

/**
 * A device or its provider has failed for all channels of an event loop that use it. The loop closes them with this
 * exception. New connections over the device fail with it until the loop ends. The cause is the provider's error.
 */
public final class RdmaDeviceException extends IOException {

    private static final long serialVersionUID = 1;

    public RdmaDeviceException(String message, Throwable cause) {
        super(message + ": " + cause.getMessage(), cause);
    }
}
