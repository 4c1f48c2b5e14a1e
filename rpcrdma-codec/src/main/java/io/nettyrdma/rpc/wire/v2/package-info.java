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
 * Headers of RPC-over-RDMA version 2, the -01 wire format (draft -01, sections 6 to 8): octets to
 * {@link io.nettyrdma.rpc.wire.v2.Rdma2Decoded} and back, and the transport properties that travel in them. Knows
 * neither connections nor version 1.
 *
 * <p>Internal: its types are public for the packages of this module only, and may change with every release.
 */
@NullMarked
package io.nettyrdma.rpc.wire.v2;

import org.jspecify.annotations.NullMarked;
