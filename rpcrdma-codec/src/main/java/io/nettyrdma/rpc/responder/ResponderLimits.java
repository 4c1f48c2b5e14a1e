/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
