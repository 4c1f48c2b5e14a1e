// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Registered memory of an event loop: a {@link io.nettyrdma.memory.RegisteredMemoryPool} for each device hands out
 * a {@link io.nettyrdma.memory.RegisteredByteBuf} for each request. The buffer is a slot of a slab, which is registered
 * as a whole and used many times. A buffer that a peer is shown is used once. Its memory is new or another buffer's,
 * and registered by itself unless a window is bound to a slab's. {@link io.nettyrdma.memory.MemoryRegions} registers
 * memory that belongs to no pool.
 *
 * <p>The event loop's device owns the pool and closes it, which ends all registrations. The pool owns the slabs, a slab
 * its memory and registration, and the {@link io.nettyrdma.memory.Exposure} that a peer is shown instead of the
 * registration's key. Buffers are counted by reference like any other and may outlive the loop: the last release frees
 * the memory. A slot that a {@link io.nettyrdma.memory.RegisteredByteBuf.SlotOwner} has taken goes back to that owner.
 *
 * <p>The package depends on Netty's buffers and DiSNI's verbs. It knows no channels, queue pairs or work requests, and
 * it is no API: types are public only because the channels are in another package.
 */
@NullMarked
package io.nettyrdma.memory;

import org.jspecify.annotations.NullMarked;
