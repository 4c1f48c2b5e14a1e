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
package io.nettyrdma.rpc.error;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * No reply came in time. The responder may or may not have executed the call. Its credit stays taken until a late reply
 * arrives, because the responder's receive may still be.
 */
public final class CallTimeoutException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /**
     * For a call that was not answered in time.
     *
     * @param sent whether it was sent, and did not wait for a credit all the time
     */
    public CallTimeoutException(int xid, boolean sent, long timeoutNanos) {
        super(
                xid,
                (sent ? "no reply within " : "call not sent, no credit within ")
                        + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                        + " ms, which is RpcRdmaConfig.callTimeout or was given with the call");
    }

    /**
     * For a call that was on no connection when its time was over.
     *
     * @param cause why there was none, if known
     */
    public CallTimeoutException(int xid, @Nullable Throwable cause) {
        super(xid, "no connection in time");
        if (cause != null) {
            initCause(cause);
        }
    }
}
