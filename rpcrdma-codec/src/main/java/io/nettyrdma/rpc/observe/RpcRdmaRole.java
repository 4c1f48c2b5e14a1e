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

/** The role of an end of a connection in an RPC. */
public enum RpcRdmaRole {
    /** Sends calls. */
    REQUESTER,
    /** Executes them. */
    RESPONDER;

    /** Returns the role of the other end, which is this end's role in the reverse direction. */
    public RpcRdmaRole opposite() {
        return this == REQUESTER ? RESPONDER : REQUESTER;
    }
}
