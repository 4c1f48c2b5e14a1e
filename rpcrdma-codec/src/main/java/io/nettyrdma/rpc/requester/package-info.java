// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * A requester's calls, from their submission to their end: they are planned and sent, the memory of their chunks is
 * exposed and withdrawn, their replies are put together. Never reads or writes the memory of a peer (RFC 8166, section
 * 3.1).
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.requester;

import org.jspecify.annotations.NullMarked;
