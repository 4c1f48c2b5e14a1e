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
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.RpcCallHeader.Protection;
import org.jspecify.annotations.Nullable;

/** Reads the header of a call (RFC 5531, section 9). Threading: stateless. */
final class CallHeaders {

    private static final int CREDENTIAL = 24;
    private static final int MAX_AUTH_BYTES = 400;
    private static final int AUTH_NONE = 0;
    private static final int AUTH_SYS = 1;

    private CallHeaders() {}

    /** The header, or {@code null} if the message is not an RPC call of version 2. */
    static @Nullable RpcCallHeader parse(ByteBuf call) {
        if (call.readableBytes() < OncRpc.CALL_BYTES || call.getInt(call.readerIndex() + 8) != 2) {
            return null;
        }
        int verifier = skipAuth(call, CREDENTIAL);
        int arguments = verifier < 0 ? -1 : skipAuth(call, verifier);
        if (arguments < 0) {
            return null;
        }
        int flavor = call.getInt(call.readerIndex() + CREDENTIAL);
        Protection protection =
                flavor == AUTH_NONE || flavor == AUTH_SYS ? Protection.CLEAR : Protection.GSS_PROTECTED;
        return new RpcCallHeader(
                OncRpc.xid(call),
                OncRpc.program(call),
                OncRpc.version(call),
                OncRpc.procedure(call),
                protection,
                arguments);
    }

    /** Offset behind a credential or verifier, -1 if it is cut short or too long. */
    private static int skipAuth(ByteBuf call, int offset) {
        if (call.readableBytes() - offset < 8) {
            return -1;
        }
        int bytes = call.getInt(call.readerIndex() + offset + 4);
        int end = offset + 8 + (bytes + 3 & ~3);
        return bytes < 0 || bytes > MAX_AUTH_BYTES || end > call.readableBytes() ? -1 : end;
    }
}
