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
 * Upper-layer bindings, which describe a protocol to the transport: XDR items that may travel in chunks, and lengths of
 * replies (RFC 8166, section 6; RFC 8267). {@link io.nettyrdma.rpc.binding.XdrBinding} declares the binding of a
 * program by its XDR types; those of NFS 2 and 3 are made with it. Bindings read RPC messages; they know nothing of
 * headers, engines and channels.
 */
@NullMarked
package io.nettyrdma.rpc.binding;

import org.jspecify.annotations.NullMarked;
