// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Headers of RPC-over-RDMA version 1 (RFC 8166): octets to {@link io.nettyrdma.rpc.wire.header.Decoded} and back.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.wire.v1;

import org.jspecify.annotations.NullMarked;
