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
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.nettyrdma.rpc.wire.RpcRdmaMessage;

/**
 * A received message of the reverse direction, on its way from the handler at the bottom of the pipeline to the reverse
 * one.
 *
 * <p>Ownership: the content is the payload stream, empty if there is none inline.
 */
public final class ReverseMessage extends DefaultByteBufHolder {

    private final RpcRdmaMessage header;

    ReverseMessage(RpcRdmaMessage header, ByteBuf payload) {
        super(payload);
        this.header = header;
    }

    /** Its header. */
    public RpcRdmaMessage header() {
        return header;
    }

    @Override
    public ReverseMessage replace(ByteBuf payload) {
        return new ReverseMessage(header, payload);
    }
}
