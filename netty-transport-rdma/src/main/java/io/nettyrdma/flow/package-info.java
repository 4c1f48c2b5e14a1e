// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Flow control for channels that keep message boundaries: {@link io.nettyrdma.flow.RdmaFlowControlHandler}. It uses the
 * channel as any handler does; what both sides say to each other is in {@code io.nettyrdma.flow.protocol}.
 *
 * <p>Threading: the event loop of the channel.
 */
@NullMarked
package io.nettyrdma.flow;

import org.jspecify.annotations.NullMarked;
