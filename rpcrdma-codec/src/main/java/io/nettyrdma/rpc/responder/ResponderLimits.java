// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.nettyrdma.rpc.binding.UpperLayerBindings;

/**
 * What a configuration says of the calls that a responder executes.
 *
 * @param credits               to grant at most
 * @param maxCallBytes          longest call with read chunks
 * @param maxPullingBytes       octets pulled at a time
 * @param maxPullingReads       RDMA Reads under way at a time
 * @param maxPushingBytes       octets of replies in chunks under way at a time
 * @param maxPushingWrites      RDMA Writes under way at a time
 * @param maxWaitingBytes       octets that all connections of the process hold for peers that keep them waiting
 * @param peerTimeoutNanos      longest time in which no RDMA Read completes
 * @param bindings              what may be in chunks, by program and version
 */
public record ResponderLimits(
        int credits,
        int maxCallBytes,
        long maxPullingBytes,
        int maxPullingReads,
        long maxPushingBytes,
        int maxPushingWrites,
        long maxWaitingBytes,
        long peerTimeoutNanos,
        UpperLayerBindings bindings) {}
