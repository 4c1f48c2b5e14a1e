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
package io.nettyrdma.channel;

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
    RdmaWorkRequestException(String what, int status, boolean flushed, @Nullable String detail) {
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
    boolean isFlushed() {
        return flushed;
    }

    /** Returns the completion status, {@code IBV_WC_*}. */
    public int status() {
        return status;
    }
}
