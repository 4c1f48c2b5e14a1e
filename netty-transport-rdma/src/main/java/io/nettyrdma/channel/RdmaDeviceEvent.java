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

import io.nettyrdma.verbs.RdmaCapabilities;

/**
 * User event with the capabilities of the device of an {@link RdmaChannel}'s connection. The channel fires it once per
 * connection, before the queue pair exists: on the active side when the route to the peer is known, on the passive side
 * before {@link RdmaPrivateDataEvent}. Handlers may still set {@link RdmaChannelOption#RDMA_PRIVATE_DATA} and options
 * that shape the queue pair, or close the channel.
 *
 * @param capabilities of the device
 */
public record RdmaDeviceEvent(RdmaCapabilities capabilities) {}
