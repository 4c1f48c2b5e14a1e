// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Upper-layer bindings, which describe a protocol to the transport: XDR items that may travel in chunks, and lengths of
 * replies (RFC 8166, section 6; RFC 8267). {@link io.nettyrdma.rpc.binding.XdrBinding} declares the binding of a
 * program by its XDR types; those of NFS 2 and 3 are made with it. Bindings read RPC messages; they know nothing of
 * headers, engines and channels.
 */
@NullMarked
package io.nettyrdma.rpc.binding;

import org.jspecify.annotations.NullMarked;
