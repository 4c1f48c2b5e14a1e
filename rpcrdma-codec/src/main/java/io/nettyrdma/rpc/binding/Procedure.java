// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import java.util.BitSet;
import java.util.List;

/**
 * What a binding has to know of one procedure.
 *
 * <p>Threading: immutable.
 */
final class Procedure {

    /** Longer results would leave no room for the header of their reply in the lengths that buffers have. */
    private static final long MAX_RESULTS_BYTES = Integer.MAX_VALUE - 1024;

    private final XdrType arguments;
    private final XdrType results;
    private final boolean repeatable;
    private final boolean counted;
    /** Of the results without a count. */
    private final List<Integer> reducibleBytes;

    private Procedure(XdrType arguments, XdrType results, boolean repeatable) {
        this.arguments = arguments;
        this.results = results;
        this.repeatable = repeatable;
        counted = arguments.counts() > 0;
        reducibleBytes = counted
                ? List.of()
                : results.reducibleBytes().stream().map(Math::toIntExact).toList();
    }

    /**
     * Checks that the types bound the reply.
     *
     * @param name for error messages
     */
    static Procedure of(String name, XdrType arguments, XdrType results) {
        if (arguments.counts() > 1) {
            throw new IllegalArgumentException(name + ": " + arguments.counts() + " COUNT (expected: 0 to 1)");
        }
        if (results.counts() > 0) {
            throw new IllegalArgumentException(name + ": COUNT in its results (expected: in its arguments)");
        }
        int items = results.reducibleBytes().size();
        boolean counted = arguments.counts() == 1;
        if (counted && items > 1) {
            throw new IllegalArgumentException(name + ": a COUNT for " + items + " reducible results (expected: 0 to"
                    + " 1); give each its limit by XdrType.reducible(long) instead");
        }
        if (results.plainBytes() >= XdrType.UNBOUNDED) {
            throw new IllegalArgumentException(name + ": its results have no longest length; give what has no limit one"
                    + " by XdrType.opaque(long), array(XdrType, long) or expected(XdrType, long)");
        }
        long longest = counted ? results.plainBytes() : results.maxBytes();
        if (longest >= XdrType.UNBOUNDED) {
            throw new IllegalArgumentException(name + ": its reducible result has no longest length; use"
                    + " XdrType.reducible(long), or COUNT among the arguments");
        }
        if (longest > MAX_RESULTS_BYTES) {
            throw new IllegalArgumentException(name + ": results of up to " + longest + " bytes (expected: up to "
                    + MAX_RESULTS_BYTES + "); give them a smaller limit, as by XdrType.expected(XdrType, long)");
        }
        return new Procedure(arguments, results, false);
    }

    /** The same, which may be executed twice. */
    Procedure asRepeatable() {
        return new Procedure(arguments, results, true);
    }

    boolean isRepeatable() {
        return repeatable;
    }

    boolean mayReduceArguments() {
        return !arguments.reducibleBytes().isEmpty();
    }

    List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
        return mayReduceArguments() ? skipArguments(header, call).items() : List.of();
    }

    private XdrCursor skipArguments(RpcCallHeader header, ByteBuf call) {
        XdrCursor in = new XdrCursor(call, header.argumentsOffset(), call.readableBytes());
        arguments.skip(in);
        return in;
    }

    List<XdrItem> reducibleResults(ByteBuf reply, BitSet reduced) {
        if (results.reducibleBytes().isEmpty()) {
            return List.of();
        }
        XdrCursor in = RpcReplies.results(reply, reduced);
        results.skip(in);
        return in.items();
    }

    /** Bounds of the reply to a call with these arguments. */
    ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
        if (!counted) {
            return RpcReplies.bounds(call, results.maxBytes(), reducibleBytes); // V1-049
        }
        boolean reducible = !results.reducibleBytes().isEmpty();
        long most = reducible ? results.reducibleBytes().get(0) : XdrType.UNBOUNDED;
        long count = Math.min(skipArguments(header, call).count(), most);
        if (count < 0 || count > Integer.MAX_VALUE) {
            return ReplyBounds.UNKNOWN;
        }
        List<Integer> bytes = reducible ? List.of((int) count) : List.of(); // V1-049
        return RpcReplies.bounds(call, results.plainBytes() + XdrLengths.padded(count), bytes);
    }
}
