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
package io.nettyrdma.rpc.observe;

import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;

/**
 * User event with what the two sides agreed on. Fired once per connection: after the peer's private data was seen, or
 * at the latest before {@code channelActive} is passed on. The values hold for the life of the connection; after a
 * reconnect they may be others.
 *
 * @param thresholds         longest Send in each direction
 * @param remoteInvalidation whether both sides support it, so that a reply may invalidate a handle of its call
 * @param peer               what the peer said, or the defaults if it said nothing understandable
 */
public record RpcRdmaParametersEvent(InlineThresholds thresholds, boolean remoteInvalidation, CmPrivateData peer) {}
