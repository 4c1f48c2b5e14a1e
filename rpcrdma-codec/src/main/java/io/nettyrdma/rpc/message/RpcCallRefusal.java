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
 * Written to a {@link io.nettyrdma.rpc.RpcRdmaResponderHandler} instead of a reply: no RPC reply is possible for this
 * call. The requester gets {@code ERR_CHUNK} and its call fails at once, instead of waiting for its timeout. A call
 * that is neither replied to nor refused counts as in progress until the connection ends.
 *
 * @param xid of the call
 */
public record RpcCallRefusal(int xid) {}
