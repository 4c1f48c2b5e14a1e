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
package io.nettyrdma.verbs;

/**
 * What a device can do beyond the common ground of {@code com.ibm.disni.verbs}. Channels read limits and choose
 * fall-backs from here; they never ask which provider they run on.
 *
 * @param reject          a connection request can be rejected, with private data if there is any
 * @param sendInvalidate  Send with Invalidate can be sent
 * @param remoteInvalidation memory of this side may be named by a Send with Invalidate of the peer; where not, that
 *                        ends the connection
 * @param memoryWindows   only what a memory window of type 2 exposes may be invalidated by the peer, so that everything
 *                        is exposed by one
 * @param cheapRegistration to register memory costs less than to copy 32 KiB, as no kernel is asked
 * @param immediateData   Sends and RDMA Writes can carry immediate data (siw refuses them)
 * @param ipv6            addresses may be IPv6
 * @param waitsForReceives a Send of the peer that finds no receive waits for one, for as long as this side says in
 *                        {@link ConnectionParameters#receiverNotReadyTimeoutMillis()}; else the connection ends, at
 *                        once or when the peer's device has repeated the Send a few times
 * @param privateData     how much private data connects, accepts and rejects can carry; the peer's is delivered with
 *                        the CM event
 * @param maxSge          largest number of scatter-gather entries per work request
 * @param maxReadsInFlight largest number of RDMA Reads outstanding per queue pair and direction
 * @param maxQueueDepth   largest number of work requests per send or receive queue, {@link Integer#MAX_VALUE} if that
 *                        is not known
 * @param maxCompletions  largest number of entries of a completion queue, {@link Integer#MAX_VALUE} if that is not
 *                        known
 */
public record RdmaCapabilities(
        boolean reject,
        boolean sendInvalidate,
        boolean remoteInvalidation,
        boolean memoryWindows,
        boolean cheapRegistration,
        boolean immediateData,
        boolean ipv6,
        boolean waitsForReceives,
        PrivateDataLimits privateData,
        int maxSge,
        int maxReadsInFlight,
        int maxQueueDepth,
        int maxCompletions) {}
