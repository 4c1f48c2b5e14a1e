// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The model of transport headers (RFC 8166): chunk lists and segments, and what a decoder makes of a received message.
 * Independent of the codecs and of the handlers that send the octets.
 *
 * <p>A received message becomes either a {@link io.nettyrdma.rpc.wire.header.RpcRdmaMessage} or a
 * {@link io.nettyrdma.rpc.wire.header.Rejection} that names the answer the protocol asks for.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.wire.header;

import org.jspecify.annotations.NullMarked;
