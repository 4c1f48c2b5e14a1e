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
