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

/**
 * A peer of version 2 has kept this side waiting with octets that it holds for the peer: replies that the peer grants
 * no credits for, or a message whose last fragment does not come. The connection is closed.
 */
public final class SlowPeerException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private SlowPeerException(int xid, String message) {
        super(xid, message);
    }

    /** None of the answers that wait for credits could be sent to its end in time; for the first of them. */
    public static SlowPeerException withoutCredits(int xid, int answers, long timeoutNanos) {
        return new SlowPeerException(
                xid,
                "the peer has granted too few credits for the first of " + answers + " answers for "
                        + millis(timeoutNanos) + ", which is RpcRdmaConfig.continuationTimeout");
    }

    /** The last fragment of a message has not come in time. */
    public static SlowPeerException unfinished(int xid, int bytes, long timeoutNanos) {
        return new SlowPeerException(
                xid,
                "a message of which " + bytes + " octets have come is not complete after " + millis(timeoutNanos)
                        + ", which is RpcRdmaConfig.continuationTimeout");
    }

    /**
     * All connections of an event loop have reached their bound, and this is one whose peer has moved nothing for long.
     *
     * @param bytes that this connection holds
     */
    public static SlowPeerException outOfMemory(int xid, long bytes, long stillNanos, long limitBytes) {
        return new SlowPeerException(
                xid,
                bytes + " octets wait for the peer, which has moved nothing for " + millis(stillNanos)
                        + ", and the event loop has no room for more: RpcRdmaConfig.maxWaitingBytesPerLoop is "
                        + limitBytes);
    }

    private static String millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }
}
