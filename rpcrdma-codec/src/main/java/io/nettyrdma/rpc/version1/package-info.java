// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Version 1 of the protocol (RFC 8166): sends and receives its messages.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.version1;

import org.jspecify.annotations.NullMarked;
