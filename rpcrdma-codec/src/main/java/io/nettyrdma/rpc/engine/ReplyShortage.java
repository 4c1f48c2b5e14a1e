// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

/**
 * What a call has not offered enough memory for.
 *
 * @param writeChunk the chunk that is too short, from 1 on; 0 if it is the reply chunk, or the lack of one
 * @param bytes      octets that would have to go there
 */
public record ReplyShortage(int writeChunk, long bytes) {}
