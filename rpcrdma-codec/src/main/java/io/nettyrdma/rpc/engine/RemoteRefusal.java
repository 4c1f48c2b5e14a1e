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
