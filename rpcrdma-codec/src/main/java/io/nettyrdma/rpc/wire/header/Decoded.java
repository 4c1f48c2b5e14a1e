// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

/** The result of decoding a received message: a valid {@link RpcRdmaMessage}, or a {@link Rejection}. */
public sealed interface Decoded permits RpcRdmaMessage, Rejection {}
