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
 * What a provider can do beyond the common ground of {@code com.ibm.disni.verbs}. Channels read limits and choose
 * fall-backs from here; they never ask which provider they run on.
 *
 * @param privateData     connect and accept carry private data, and the peer's is delivered with the CM event
 * @param reject          a connection request can be rejected, with private data if {@code privateData} is set
 * @param sendInvalidate  Send with Invalidate can be sent
 * @param remoteInvalidation memory of this side may be named by a Send with Invalidate of the peer; adapters whose user
 *                        space has memory regions only end the connection instead (rxe does)
 * @param ipv6            addresses may be IPv6
 * @param waitsForReceives a Send of the peer that finds no receive waits for one, for as long as this side says in
 *                        {@link ConnectionParameters#receiverNotReadyTimeoutMillis()}; else the connection ends, at
 *                        once or when the peer's device has repeated the Send a few times
 * @param maxPrivateDataBytes largest private data per direction, in octets; 0 without {@code privateData}
 * @param maxSge          largest number of scatter-gather entries per work request
 * @param maxReadsInFlight largest number of RDMA Reads outstanding per queue pair and direction
 * @param maxQueueDepth   largest number of work requests per send or receive queue
 */
public record RdmaCapabilities(
        boolean privateData,
        boolean reject,
        boolean sendInvalidate,
        boolean remoteInvalidation,
        boolean ipv6,
        boolean waitsForReceives,
        int maxPrivateDataBytes,
        int maxSge,
        int maxReadsInFlight,
        int maxQueueDepth) {}
