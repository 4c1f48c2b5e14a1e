// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ReadPlan.Chunk;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the upper-layer bindings allow to be reduced in the calls and replies of one connection (RFC 8166, section 6.1).
 *
 * <p>Threading: stateless.
 */
public final class ReductionRules {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(ReductionRules.class);

    private final UpperLayerBindings bindings;

    ReductionRules(UpperLayerBindings bindings) {
        this.bindings = bindings;
    }

    /**
     * Asked before anything is pulled: whether a procedure of this kind may have read chunks at all. Of a long call the
     * procedure is not known yet, so the question is put off; other calls keep their header.
     *
     * @param inline payload stream behind the header
     */
    boolean mayPull(ResponderCall call, ReadPlan plan, ByteBuf inline) {
        if (plan.isLong()) {
            return true;
        }
        // What stands in front of the first chunk. A header that ends behind it was itself reduced. V1-144
        int headBytes = plan.chunks().get(0).position();
        @Nullable RpcCallHeader header = RpcCallHeader.parse(inline.slice(inline.readerIndex(), headBytes));
        call.setHeader(header);
        return header != null
                && ask( // V1-028, V1-132, V1-136, V1-146
                        header, false, binding -> binding.mayReduceArguments(header));
    }

    /**
     * Asked when the call is complete: whether each chunk is exactly one reducible argument.
     *
     * @param header of the call, {@code null} if it has none that can be read
     * @param padded whether a chunk may also contain the padding of its argument
     */
    boolean allow(ReadPlan plan, ByteBuf call, @Nullable RpcCallHeader header, boolean padded) {
        List<XdrItem> arguments = List.of();
        boolean asked = false;
        int first = plan.isLong() ? 1 : 0;
        for (Chunk chunk : plan.chunks().subList(first, plan.chunks().size())) {
            if (chunk.lengthBytes() == 0) {
                continue; // reduces nothing
            }
            if (header == null) {
                return false;
            }
            if (!asked) {
                asked = true;
                arguments = ask(header, List.of(), binding -> binding.reducibleArguments(header, call));
            }
            if (arguments.stream().noneMatch(argument -> isWhole(argument, chunk, padded))) { // V1-059
                return false; // V1-036, V1-132, V2-167
            }
        }
        return true;
    }

    /**
     * How long the reply to a call can get, its reducible results included; {@link ReplyBounds#UNKNOWN_BYTES} if it
     * cannot be told.
     *
     * @param call a whole call
     */
    int replyBytes(ByteBuf call) {
        @Nullable RpcCallHeader header = RpcCallHeader.parse(call);
        return header == null
                ? ReplyBounds.UNKNOWN_BYTES
                : ask(header, ReplyBounds.UNKNOWN, binding -> binding.replyBounds(header, call))
                        .maxBytes();
    }

    /**
     * The results of a reply that may be in write chunks.
     *
     * @param named by the application, {@code null} if the binding is to find them
     */
    List<XdrItem> results(ResponderCall call, ByteBuf reply, @Nullable List<XdrItem> named) {
        if (call.chunks().writeList().isEmpty()) {
            return List.of();
        }
        if (named != null) {
            return named;
        }
        @Nullable RpcCallHeader header = call.header();
        return header == null
                ? List.of()
                : ask( // V1-028, V1-090
                        header, List.of(), binding -> binding.reducibleResults(header, reply, new BitSet()));
    }

    /** A binding that throws, against its contract, must not cost the call its end: it reduces nothing then. */
    private <T> T ask(RpcCallHeader header, T nothing, Function<UpperLayerBinding, T> question) {
        UpperLayerBinding binding = bindings.of(header);
        try {
            return question.apply(binding);
        } catch (RuntimeException e) {
            logger.warn("{} failed on a message of procedure {}", binding, header.procedure(), e);
            return nothing;
        }
    }

    /** A chunk is as long as its argument, without padding or, where the version allows it, with padding. */
    private static boolean isWhole(XdrItem argument, Chunk chunk, boolean padded) {
        return argument.offset() == chunk.position()
                && (argument.lengthBytes() == chunk.lengthBytes()
                        || padded // V2-045 (C58)
                                && XdrLengths.padded(argument.lengthBytes()) == chunk.lengthBytes()); // V1-047, BIS-007
    }
}
