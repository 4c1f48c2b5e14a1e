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
 * The responder answered {@code ERR_CHUNK}: it could not decode the call or convey its reply (RFC 8166, section 4.5.2
 * and 4.5.3). The same call would fail again.
 */
public final class RemoteChunkException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** @param limits sizes that the call offered, and the settings behind them */
    public RemoteChunkException(int xid, String limits) {
        super(xid, "responder answered ERR_CHUNK; " + limits);
    }
}
