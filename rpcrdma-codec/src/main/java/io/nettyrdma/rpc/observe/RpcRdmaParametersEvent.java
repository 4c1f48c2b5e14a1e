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
import io.nettyrdma.rpc.wire.ReverseLevel;
import org.jspecify.annotations.Nullable;

/**
 * User event with what the two sides agreed on. Fired once per connection: after the peer's private data was seen, or
 * at the latest before {@code channelActive} is passed on; where version 2 is allowed, when the version is known and
 * properties are exchanged, which is later. The values hold for the life of the connection; after a reconnect they may
 * be others.
 *
 * @param version            of the protocol that is spoken
 * @param thresholds         longest Send in each direction
 * @param remoteInvalidation in version 1 whether both sides support it, so that a reply may invalidate a handle of its
 *                           call; version 2 has no property for it: of a requester, whether its calls name a handle to
 *                           invalidate, of a responder, whether its replies invalidate the handle that a call names
 * @param peer               what the peer said in private data, or the defaults if it said nothing understandable; it
 *                           means nothing in version 2
 * @param reverseLevel       what the side that has made the connection takes of calls in the reverse direction; {@code
 *                           null} in version 1, which leaves it to the protocols above
 */
public record RpcRdmaParametersEvent(
        int version,
        InlineThresholds thresholds,
        boolean remoteInvalidation,
        CmPrivateData peer,
        @Nullable ReverseLevel reverseLevel) {}
