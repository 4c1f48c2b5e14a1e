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
package io.nettyrdma.rpc.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import java.util.List;

/**
 * Written to a {@link io.nettyrdma.rpc.RpcRdmaResponderHandler} instead of a plain {@code ByteBuf}: a reply that names
 * the results which may be in write chunks itself, so that no binding has to find them. If the reply is a composite
 * buffer, its direct components are written to the requester without a copy.
 *
 * <p>Ownership: the content passes to whom the reply is written to.
 */
public final class RpcReply extends DefaultByteBufHolder {

    private final List<XdrItem> reducibleResults;

    /**
     * @param message          the whole RPC reply from its XID on, padding of all results included
     * @param reducibleResults in ascending order; the n-th goes to the n-th write chunk of the call, if there is one.
     *                         Each has to be one that the upper-layer binding of the program allows to be reduced
     */
    public RpcReply(ByteBuf message, List<XdrItem> reducibleResults) {
        super(message);
        this.reducibleResults = List.copyOf(reducibleResults);
    }

    /** The results that may be in write chunks, in ascending order. */
    public List<XdrItem> reducibleResults() {
        return reducibleResults;
    }

    @Override
    public RpcReply replace(ByteBuf message) {
        return new RpcReply(message, reducibleResults);
    }

    @Override
    public RpcReply retain() {
        super.retain();
        return this;
    }
}
