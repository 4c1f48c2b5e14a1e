// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;

/**
 * An error in answer to a call that says why (draft -01, section 7).
 *
 * @param error      the kind
 * @param number     what it says would have been accepted, or needed; 0 if nothing
 * @param writeChunk which write chunk that is about, from 1 on; 0 if none, or the peer does not know
 * @param failure    what the call fails with, unless it is repeated
 */
public record RemoteRefusal(Rdma2ErrorCode error, long number, long writeChunk, RpcRdmaException failure) {}
