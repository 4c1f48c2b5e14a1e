// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import java.util.List;

/**
 * A reply that names its results for write chunks: write it to a {@link io.nettyrdma.rpc.RpcRdmaResponderHandler}
 * instead of a plain {@code ByteBuf}. No binding then looks for them. The direct components of a composite buffer are
 * written to the requester without a copy.
 *
 * <p>Ownership: the content passes to the handler that the reply is written to.
 */
public final class RpcRdmaReply extends DefaultByteBufHolder {

    private final List<XdrItem> reducibleResults;

    /**
     * @param message          the whole RPC reply from its XID on, with the padding of all results
     * @param reducibleResults in ascending order; the n-th goes to the n-th write chunk of the call, if any. The
     *                         upper-layer binding of the program must allow each to be reduced
     */
    public RpcRdmaReply(ByteBuf message, List<XdrItem> reducibleResults) {
        super(message);
        this.reducibleResults = List.copyOf(reducibleResults);
    }

    /** Returns the results that may be in write chunks, in ascending order. */
    public List<XdrItem> reducibleResults() {
        return reducibleResults;
    }

    @Override
    public RpcRdmaReply replace(ByteBuf message) {
        return new RpcRdmaReply(message, reducibleResults);
    }

    @Override
    public RpcRdmaReply retain() {
        super.retain();
        return this;
    }
}
