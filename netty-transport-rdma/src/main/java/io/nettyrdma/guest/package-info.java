// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Channels of Netty's NIO transport as guests of event loops of RDMA. {@link io.nettyrdma.guest.Guests} are those of
 * one loop. A {@code Guest} is the registration of one channel, and {@code GuestSelector} the thread that selects for
 * the guests of all loops.
 *
 * <p>That thread alone uses the selector and its keys. Loops leave the changes that they want in its queue, and it
 * hands each readiness to the loop of the guest as a task. It then selects nothing for the guest until the task has
 * run: so a level that lasts is reported once, as {@link io.netty.channel.nio.NioIoHandler} does.
 */
@NullMarked
package io.nettyrdma.guest;

import org.jspecify.annotations.NullMarked;
