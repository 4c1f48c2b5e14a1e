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
 * None of the RDMA Reads for the chunks of a requester's calls has completed in time; the connection is closed. A Read
 * that has brought some of its octets has not completed.
 */
public final class ChunkReadTimeoutException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /**
     * For the oldest call that is waited for.
     *
     * @param reads under way
     * @param bytes that they ask for
     */
    public ChunkReadTimeoutException(int xid, int reads, long bytes, long timeoutNanos) {
        super(
                xid,
                "none of " + reads + " RDMA Reads of " + bytes + " octets has completed for "
                        + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms, which is RpcRdmaConfig.chunkReadTimeout");
    }
}
