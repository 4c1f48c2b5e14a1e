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
 * A reply uses a chunk that this call never offered, or one for which it has no reducible result of that length (RFC
 * 8166, section 6.1): a permanent error.
 */
public final class UnexpectedChunksException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** For the call that was answered so. */
    public UnexpectedChunksException(int xid) {
        super(xid, "reply uses chunks the call did not offer");
    }

    /**
     * A write chunk was filled that matches no result.
     *
     * @param chunk       of the write list, counted from 0
     * @param chunkBytes  octets written to it
     * @param resultBytes octets of the result according to the reply, -1 if there is no such result
     */
    public UnexpectedChunksException(int xid, int chunk, long chunkBytes, int resultBytes) {
        super(
                xid,
                "reply has " + chunkBytes + " octets in write chunk " + chunk + ", "
                        + (resultBytes < 0 ? "which belongs to no result" : "but a result of " + resultBytes));
    }
}
