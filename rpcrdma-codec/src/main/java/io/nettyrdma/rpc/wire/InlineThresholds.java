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
package io.nettyrdma.rpc.wire;

/**
 * The longest Send in each direction, header and payload together, fixed for the life of a connection (RFC 8166,
 * section 3.3.2). A message of exactly that length still fits.
 *
 * @param callBytes  requester to responder
 * @param replyBytes responder to requester
 */
public record InlineThresholds(int callBytes, int replyBytes) {

    /** The values that both sides assume while they know nothing of each other (RFC 8166, section 3.3.3). */
    public static final InlineThresholds DEFAULTS = between(CmPrivateData.DEFAULTS, CmPrivateData.DEFAULTS); // V1-027

    /** Each threshold is the smaller of what one side sends and the other receives. */
    public static InlineThresholds between(CmPrivateData requester, CmPrivateData responder) {
        return new InlineThresholds(
                Math.min(requester.sendBytes(), responder.receiveBytes()), // PD-010
                Math.min(responder.sendBytes(), requester.receiveBytes())); // PD-011, PD-012
    }
}
