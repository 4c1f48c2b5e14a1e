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
import io.nettyrdma.rpc.message.Xdr;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a binding has to know of one procedure.
 *
 * @param reducibleArguments arguments of which one may be reduced; {@code null} if none may be
 * @param results            results, as if what the call counts were empty
 * @param beforeCount        what precedes the word among the arguments that limits the results; {@code null} if they
 *                           limit themselves
 * @param maxCount           the largest count that a responder heeds
 * @param reducibleResult    whether one of the results may be reduced
 * @param expectedBytes      the longest content of that result without a count
 */
record Procedure(
        @Nullable XdrType reducibleArguments,
        XdrType results,
        @Nullable XdrType beforeCount,
        long maxCount,
        boolean reducibleResult,
        int expectedBytes) {

    /** Nothing may be reduced, and the results limit themselves. */
    static Procedure of(XdrType results) {
        return new Procedure(null, results, null, 0, false, 0);
    }

    /** One argument may be reduced, and the results limit themselves. */
    static Procedure write(XdrType arguments, XdrType results) {
        return new Procedure(arguments, results, null, 0, false, 0);
    }

    /** One result may be reduced; an argument limits it. */
    static Procedure read(XdrType beforeCount, long maxCount, XdrType results) {
        return new Procedure(null, results, beforeCount, maxCount, true, 0);
    }

    /** One result, which should not be longer than this, may be reduced. */
    static Procedure readLink(int expectedBytes, XdrType results) {
        return new Procedure(null, results, null, 0, true, expectedBytes);
    }

    /** Nothing may be reduced; an argument limits the results. */
    static Procedure list(XdrType beforeCount, XdrType results) {
        return new Procedure(null, results, beforeCount, XdrType.UNBOUNDED, false, 0);
    }

    /** Bounds of the reply to a call with these arguments. */
    ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
        long count = 0;
        if (beforeCount != null) {
            XdrCursor in = new XdrCursor(call, header.argumentsOffset(), call.readableBytes());
            beforeCount.skip(in);
            count = Math.min(in.readUnsigned(), maxCount);
            if (in.failed() || count > Integer.MAX_VALUE) {
                return ReplyBounds.UNKNOWN;
            }
        }
        List<Integer> reducibleBytes =
                reducibleResult ? List.of(beforeCount != null ? (int) count : expectedBytes) : List.of(); // V1-049
        return RpcReplies.bounds(call, results.maxBytes() + Xdr.padded(count), reducibleBytes);
    }
}
