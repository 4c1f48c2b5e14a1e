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
 * The model of transport headers (RFC 8166): chunk lists and segments, and what a decoder makes of a received message.
 * Independent of the codecs and of the handlers that send the octets.
 *
 * <p>A received message becomes either a {@link io.nettyrdma.rpc.wire.header.RpcRdmaMessage} or a
 * {@link io.nettyrdma.rpc.wire.header.Rejection} that names the answer the protocol asks for.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.wire.header;

import org.jspecify.annotations.NullMarked;
