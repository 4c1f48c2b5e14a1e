// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Reports on RPC-over-RDMA connections, for logs, metrics and decisions of programs: {@link
 * io.nettyrdma.rpc.observe.RpcRdmaListener} receives messages, calls and transfers; handlers fire {@link
 * io.nettyrdma.rpc.observe.RpcRdmaParametersEvent}. Independent of handlers and engines.
 */
@NullMarked
package io.nettyrdma.rpc.observe;

import org.jspecify.annotations.NullMarked;
