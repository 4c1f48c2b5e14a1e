// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The calls a responder executes, from their reception to their replies: read chunks are pulled, replies written to
 * where their calls want them. Never exposes memory to a peer (RFC 8166, section 3.1).
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.responder;

import org.jspecify.annotations.NullMarked;
