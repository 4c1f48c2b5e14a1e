// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** How long tests wait at most. */
@NullMarked
package io.nettyrdma.deadline;

import org.jspecify.annotations.NullMarked;
