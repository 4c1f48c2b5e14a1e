// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Memory that two processes of one host share in place of a TCP connection's octets: a
 * {@link io.nettyrdma.verbs.soft.ring.SharedFile} with two rings of records, which a
 * {@link io.nettyrdma.verbs.soft.ring.RingWriter} fills and a {@link io.nettyrdma.verbs.soft.ring.RingReader} empties.
 * It knows no socket and no FPDU: who agrees on a file, and who wakes whom, is the provider's part. No API: what is
 * public is so for the provider around it.
 *
 * <p>The peer is a process of the same user, which can do to this one whatever a debugger can. So the aim is that one
 * which writes nonsense harms its own connection only: each number in the memory is read once, and checked before it is
 * used.
 */
@NullMarked
package io.nettyrdma.verbs.soft.ring;

import org.jspecify.annotations.NullMarked;
