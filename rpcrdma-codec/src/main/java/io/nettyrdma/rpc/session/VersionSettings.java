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
package io.nettyrdma.rpc.session;

import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.wire.ReverseLevel;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration says of the versions of the protocol.
 *
 * @param allowed      those that may be spoken
 * @param timeoutNanos how long a connection may take to find its version, and to exchange properties
 * @param memory       peers that speak version 1 only
 * @param callCredits  of a requester, calls it may have unanswered
 * @param grantCredits of a responder, calls it grants
 * @param fragments    receives of a requester for fragments, beyond one for each call
 * @param continuationBytes longest message that is sent in fragments by choice
 * @param maxContinuedBytes longest message that is taken, or sent, in fragments at all
 * @param continuationTimeoutNanos how long an answer may wait for credits, and a message for its last fragment
 * @param maxWaitingBytesPerLoop octets that all connections of an event loop hold for peers that keep them waiting
 * @param maxSegmentsPerHeader segments of all chunks in one received header of version 2
 * @param reverseLevel what a requester takes of calls in the reverse direction, {@code NONE} if none
 * @param hostAuthentication authenticates peers, {@code null} if none is demanded
 */
public record VersionSettings(
        AllowedVersions allowed,
        long timeoutNanos,
        VersionMemory memory,
        int callCredits,
        int grantCredits,
        int fragments,
        int continuationBytes,
        int maxContinuedBytes,
        long continuationTimeoutNanos,
        long maxWaitingBytesPerLoop,
        int maxSegmentsPerHeader,
        ReverseLevel reverseLevel,
        @Nullable HostAuthentication hostAuthentication) {}
