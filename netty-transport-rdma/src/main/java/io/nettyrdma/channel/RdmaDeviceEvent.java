// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
