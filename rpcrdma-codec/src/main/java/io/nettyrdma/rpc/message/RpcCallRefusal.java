// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

/**
 * Write this to a {@link io.nettyrdma.rpc.RpcRdmaResponderHandler} if no RPC reply is possible for a call. The
 * requester receives {@code ERR_CHUNK}, and its call fails at once instead of by its timeout. A call without reply or
 * refusal stays in progress until the connection ends.
 *
 * @param xid of the call
 */
public record RpcCallRefusal(int xid) {}
