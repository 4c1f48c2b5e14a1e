// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Reports on RPC-over-RDMA connections, for logs, metrics and decisions of programs: {@link
 * io.nettyrdma.rpc.observe.RpcRdmaListener} receives messages, calls and transfers; handlers fire {@link
 * io.nettyrdma.rpc.observe.RpcRdmaParametersEvent}. Independent of handlers and engines.
 *
 * <p>Every recording of Flight Recorder has these events, without code; its settings change the threshold ({@code
 * io.nettyrdma.rpc.Call#threshold=1ms}):
 *
 * <ul>
 *   <li>{@code io.nettyrdma.rpc.Call}, from 10 ms on: role, XID, program, version and procedure where known, outcome,
 *       wait for a credit.
 *   <li>{@code io.nettyrdma.rpc.Connection}, one when it opens, one for its duration when it ends: role, addresses,
 *       inline thresholds, remote invalidation.
 *   <li>{@code io.nettyrdma.rpc.Rejection}, an invalid received message: role, XID, reaction, defect, offset, value
 *       found and expected, option of a limit.
 * </ul>
 *
 * <p>Without a listener and a recording, all this costs a few branches per call; it allocates nothing and reads no
 * clock.
 */
@NullMarked
package io.nettyrdma.rpc.observe;

import org.jspecify.annotations.NullMarked;
