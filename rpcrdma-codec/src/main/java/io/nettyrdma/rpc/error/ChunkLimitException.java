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

/**
 * A call and its reply need more chunk memory than the requester's configuration allows for one call, or more segments
 * than the responder accepts in one header.
 */
public final class ChunkLimitException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final long needed;
    private final long limit;

    private ChunkLimitException(int xid, long needed, long limit, String message) {
        super(xid, message);
        this.needed = needed;
        this.limit = limit;
    }

    /** Returns the exception for a call that would expose {@code bytes}. */
    public static ChunkLimitException ofOctets(int xid, long bytes, long limitBytes) {
        return new ChunkLimitException(
                xid,
                bytes,
                limitBytes,
                "needs " + bytes + " bytes of chunks, RpcRdmaConfig.maxChunkBytesPerCall is " + limitBytes);
    }

    /** Returns the exception for a call that would need {@code segments}. */
    public static ChunkLimitException ofSegments(int xid, long segments, int limit) {
        return new ChunkLimitException(
                xid, segments, limit, "needs " + segments + " segments for its chunks, the responder takes " + limit);
    }

    /** Returns the bytes or segments that the call needs; the message names the unit. */
    public long needed() {
        return needed;
    }

    /** Returns the limit that is exceeded, in the same unit. */
    public long limit() {
        return limit;
    }
}
