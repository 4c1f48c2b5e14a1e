// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Headers of RPC-over-RDMA version 2, the -01 wire format (draft -01, sections 6 to 8): octets to
 * {@link io.nettyrdma.rpc.wire.v2.Rdma2Decoded} and back, and the transport properties that travel in them. Knows
 * neither connections nor version 1.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.wire.v2;

import org.jspecify.annotations.NullMarked;
