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
 * What was to be sent is not an RPC message of the right kind, and nothing was sent on its behalf; or the reply to a
 * call is none that its chunks could belong to.
 */
public final class MalformedRpcMessageException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** For the message that begins with {@code xid}, or 0 if it has none. */
    public MalformedRpcMessageException(int xid, String message) {
        super(xid, message);
    }
}
