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
 * A responder sent a result inline although the call provided a write chunk for it (RFC 8166, section 6.1): a permanent
 * error.
 */
public final class UnreducedResultException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final int chunk;

    /** Creates the exception for the result of this chunk of the write list, counted from 0. */
    public UnreducedResultException(int xid, int chunk) {
        super(xid, "result is inline although write chunk " + chunk + " was provided for it");
        this.chunk = chunk;
    }

    /** Returns the number of the chunk in the write list, counted from 0. */
    public int chunk() {
        return chunk;
    }
}
