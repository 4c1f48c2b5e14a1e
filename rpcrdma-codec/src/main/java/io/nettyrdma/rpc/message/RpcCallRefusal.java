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
package io.nettyrdma.rpc.message;

/**
 * Write this to a {@link io.nettyrdma.rpc.RpcRdmaResponderHandler} if no RPC reply is possible for a call. The
 * requester receives {@code ERR_CHUNK}, and its call fails at once instead of by its timeout. A call without reply or
 * refusal stays in progress until the connection ends.
 *
 * @param xid of the call
 */
public record RpcCallRefusal(int xid) {}
