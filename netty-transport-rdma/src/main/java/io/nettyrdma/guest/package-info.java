// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Channels of Netty's NIO transport as guests of event loops of RDMA. {@link io.nettyrdma.guest.Guests} are those of
 * one loop. A {@code Guest} is the registration of one channel.
 *
 * <p>A loop that waits with a selector, as over the provider {@code soft}, registers its guests there. It handles those
 * that are ready on its own thread, after completions and connection events.
 *
 * <p>Other providers wait elsewhere. Then {@code GuestSelector}, one thread for all loops, selects, and alone uses its
 * selector and keys. A channel sees a {@code GuestKey} instead. Loops leave the changes that they want in the queue of
 * the thread, and it hands each readiness to the loop of the guest as a task. It then selects nothing for the guest
 * until the task has run: so a level that lasts is reported once, as {@link io.netty.channel.nio.NioIoHandler} does.
 */
@NullMarked
package io.nettyrdma.guest;

import org.jspecify.annotations.NullMarked;
