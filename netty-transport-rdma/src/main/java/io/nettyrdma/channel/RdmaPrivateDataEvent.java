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
package io.nettyrdma.channel;

/**
 * User event that tells the pipeline of an {@link RdmaChannel} which private data the peer sent with its connection
 * request or reply. It is fired exactly once per connection:
 *
 * <ul>
 *   <li>passive side: before the connection is accepted and the queue pair exists. Handlers may still set options such
 *       as {@link RdmaChannelOption#RDMA_PRIVATE_DATA} (the reply), {@link RdmaChannelOption#RDMA_RECEIVE_SIZE} and
 *       {@link RdmaChannelOption#RDMA_RECEIVE_COUNT}, or close the channel, which rejects the connection;</li>
 *   <li>active side: after the peer accepted, just before {@code channelActive}.</li>
 * </ul>
 *
 * @param data the octets, empty if the peer sent none or the provider cannot deliver them; the array belongs to the
 *             receiver of the event and must not be changed
 */
public record RdmaPrivateDataEvent(byte[] data) {}
