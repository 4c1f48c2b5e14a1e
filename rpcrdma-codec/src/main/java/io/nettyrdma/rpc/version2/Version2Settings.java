// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.authentication.HostAuthentication;
import io.nettyrdma.rpc.wire.ReverseLevel;
import org.jspecify.annotations.Nullable;

/**
 * The part of a configuration that concerns version 2 only.
 *
 * @param timeoutNanos longest time to find the version and exchange properties
 * @param callCredits  of a requester, calls that it may have unanswered
 * @param grantCredits of a responder, calls that it grants
 * @param continuationBytes longest message that is sent in fragments by choice
 * @param maxContinuedBytes longest message that is taken, or sent, in fragments at all
 * @param continuationTimeoutNanos longest time that an answer waits for credits, and a message for its last fragment
 * @param maxWaitingBytes octets that all connections of the process hold for peers that keep them waiting
 * @param maxSegmentsPerHeader segments of all chunks in one received header of version 2
 * @param reverseLevel what a requester takes of calls in the reverse direction, {@code NONE} if none
 * @param hostAuthentication authenticates peers, {@code null} if none is demanded
 */
public record Version2Settings(
        long timeoutNanos,
        int callCredits,
        int grantCredits,
        int continuationBytes,
        int maxContinuedBytes,
        long continuationTimeoutNanos,
        long maxWaitingBytes,
        int maxSegmentsPerHeader,
        ReverseLevel reverseLevel,
        @Nullable HostAuthentication hostAuthentication) {}
