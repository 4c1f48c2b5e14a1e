// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * How calls end, and the exceptions of those that fail. If a limit is the cause, the message names the limit, its value
 * and the option that changes it. Part of the API, independent of the code that throws them.
 */
@NullMarked
package io.nettyrdma.rpc.error;

import org.jspecify.annotations.NullMarked;
