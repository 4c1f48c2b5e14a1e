// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Connections, for both roles: the parameters that the two sides agree on, the {@linkplain
 * io.nettyrdma.rpc.session.MessageLink links} of the two directions.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.session;

import org.jspecify.annotations.NullMarked;
