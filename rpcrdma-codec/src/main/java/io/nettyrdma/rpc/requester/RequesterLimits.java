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
