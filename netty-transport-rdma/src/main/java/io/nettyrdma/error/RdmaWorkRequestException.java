// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.error;

import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A Send, Write, Read or receive completed with an error. The connection does not survive it. */
public final class RdmaWorkRequestException extends IOException {

    private static final long serialVersionUID = 1;

    private final int status;
    private final boolean flushed;

    /**
     * @param flushed whether the request was given up because the connection has ended
     * @param detail  an explanation by the channel's options, the provider or both, or {@code null}
     */
    public RdmaWorkRequestException(String what, int status, boolean flushed, @Nullable String detail) {
        super(what + " failed: " + name(status) + (detail == null ? "" : ": " + detail));
        this.status = status;
        this.flushed = flushed;
    }

    private static String name(int status) {
        for (IbvWcStatus known : IbvWcStatus.values()) {
            if (known.ordinal() == status) {
                return known.name() + " (" + status + ')';
            }
        }
        return "status " + status;
    }

    /** Returns whether the request failed only because the connection has ended. */
    public boolean isFlushed() {
        return flushed;
    }

    /** Returns the completion status, {@code IBV_WC_*}. */
    public int status() {
        return status;
    }
}
