// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** Reports of tests: the ones that failed, and the ones that passed only when they were repeated. */
@NullMarked
package io.nettyrdma.reports;

import org.jspecify.annotations.NullMarked;
