// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** The part of the agent that knows Netty and the transport. Each Netty of the JVM has these classes of its own. */
@NullMarked
package io.nettyrdma.agent.netty;

import org.jspecify.annotations.NullMarked;
