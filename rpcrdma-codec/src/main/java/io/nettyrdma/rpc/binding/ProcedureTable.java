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
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The binding of a program each of whose procedures has at most one argument or one result that may be reduced.
 *
 * <p>Threading: immutable.
 */
final class ProcedureTable implements UpperLayerBinding {

    private final Procedure[] procedures;
    private final Set<Integer> repeatable;

    /**
     * @param repeatable numbers of the procedures that may be executed twice
     * @param procedures by number, beginning with 0
     */
    ProcedureTable(Set<Integer> repeatable, Procedure... procedures) {
        this.repeatable = Set.copyOf(repeatable);
        this.procedures = procedures.clone();
    }

    private @Nullable Procedure procedure(RpcCallHeader header) {
        int number = header.procedure();
        boolean clear = header.protection() == RpcCallHeader.Protection.CLEAR;
        return clear && number >= 0 && number < procedures.length ? procedures[number] : null;
    }

    /** What is protected has a number of its own, and would be taken for a replay. */
    @Override
    public boolean isRepeatable(RpcCallHeader header, ByteBuf call) {
        return procedure(header) != null && repeatable.contains(header.procedure());
    }

    @Override
    public boolean mayReduceArguments(RpcCallHeader header) {
        Procedure procedure = procedure(header);
        return procedure != null && procedure.reducibleArguments() != null; // V1-136
    }

    @Override
    public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
        Procedure procedure = procedure(header);
        if (procedure == null || procedure.reducibleArguments() == null) {
            return List.of();
        }
        XdrCursor in = new XdrCursor(call, header.argumentsOffset(), call.readableBytes());
        procedure.reducibleArguments().skip(in);
        return in.items();
    }

    @Override
    public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
        Procedure procedure = procedure(header);
        return procedure == null ? ReplyBounds.UNKNOWN : procedure.replyBounds(header, call);
    }

    @Override
    public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
        Procedure procedure = procedure(header);
        if (procedure == null || !procedure.reducibleResult()) {
            return List.of();
        }
        XdrCursor in = RpcReplies.results(reply, reduced);
        procedure.results().skip(in);
        return in.items();
    }
}
