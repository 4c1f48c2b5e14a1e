// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * What all kinds of channels are made of. It has three parts:
 *
 * <ul>
 *   <li>The event loop: {@link io.nettyrdma.engine.IoLoop} polls the devices and hands completions and connection
 *       events to {@code RdmaRegistration}s. {@link io.nettyrdma.engine.LoopDevice} is what a loop has of one device.
 *   <li>The queue pair: {@link io.nettyrdma.engine.QueuePair} with its {@link io.nettyrdma.engine.SendQueue}, its
 *       {@link io.nettyrdma.engine.Receives} and its {@link io.nettyrdma.engine.MemoryWindows}.
 *   <li>The connection: {@link io.nettyrdma.engine.Establishment} connects or accepts, {@link
 *       io.nettyrdma.engine.ChannelLifecycle} holds the state, {@link io.nettyrdma.engine.OrderlyClose} ends it.
 * </ul>
 *
 * <p>A kind of channel owns one of each and extends {@link io.nettyrdma.engine.Exchange}. The engine knows no
 * kind of channel. It is no API: types are public only for the packages of the channels.
 *
 * <p>Threading: the event loop of the channel, unless a method says otherwise.
 */
@NullMarked
package io.nettyrdma.engine;

import org.jspecify.annotations.NullMarked;
