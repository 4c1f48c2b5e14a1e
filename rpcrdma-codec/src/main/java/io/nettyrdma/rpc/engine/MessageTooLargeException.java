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
package io.nettyrdma.rpc.engine;

/** A message fits neither the inline threshold of its direction nor the chunks that were offered for it. */
public final class MessageTooLargeException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** For a message of so many octets, header included. */
    public MessageTooLargeException(int xid, long bytes, int thresholdBytes) {
        super(xid, bytes + " octets with the header, inline threshold is " + thresholdBytes);
    }

    /**
     * For a message of which a part does not fit where it has to go.
     *
     * @param where inline threshold, or which chunk
     */
    public MessageTooLargeException(int xid, long bytes, long limitBytes, String where) {
        super(xid, bytes + " octets, " + where + " is " + limitBytes);
    }
}
