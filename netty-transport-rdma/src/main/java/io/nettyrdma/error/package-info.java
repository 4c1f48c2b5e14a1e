// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The exceptions of channels and their event loops. Programs catch them; the library makes them. The package knows
 * nothing else of the library.
 */
@NullMarked
package io.nettyrdma.error;

import org.jspecify.annotations.NullMarked;
