// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.engine.CallPlanner;

/**
 * What a configuration says of the calls of a requester.
 *
 * @param credits           to ask for
 * @param callTimeoutNanos  default time between the submission of a call and its failure
 * @param maxCallsWaiting   calls kept while they wait for credits
 * @param chunks            what one call may use
 * @param bindings          what may be in chunks and how long replies get, by program and version
 */
public record RequesterLimits(
        int credits,
        long callTimeoutNanos,
        int maxCallsWaiting,
        CallPlanner.Limits chunks,
        UpperLayerBindings bindings) {}
