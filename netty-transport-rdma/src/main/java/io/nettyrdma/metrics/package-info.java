// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Meters of RDMA event loops for Micrometer, an optional dependency of this library. Programs that use this package
 * must provide it.
 */
@NullMarked
package io.nettyrdma.metrics;

import org.jspecify.annotations.NullMarked;
