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
package io.nettyrdma.rpc.observe;

/** Which end of an RPC an end of a connection is. */
public enum RpcRdmaRole {
    /** Sends calls. */
    REQUESTER,
    /** Executes them. */
    RESPONDER;

    /** That of the other end, and of this end in the reverse direction. */
    public RpcRdmaRole opposite() {
        return this == REQUESTER ? RESPONDER : REQUESTER;
    }
}
