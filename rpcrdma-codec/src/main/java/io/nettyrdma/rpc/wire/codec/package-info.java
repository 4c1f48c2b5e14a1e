// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * What the header formats of all versions of RPC-over-RDMA have in common: the three chunk lists, wherever in a header
 * they begin, and the one layout of {@code ERR_VERS} that every version has to understand. Knows no version.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.wire.codec;

import org.jspecify.annotations.NullMarked;
