// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.binding.RpcCallHeader.Protection;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What holds for every message, whatever is in it. */
final class BindingChecks {

    private static final UpperLayerBindings NFS = UpperLayerBindings.nfs();
    private static final BitSet WHOLE = new BitSet();

    private BindingChecks() {}

    /** Any octets as a call; returns how many reducible arguments were found. */
    static int checkCall(ByteBuf call) {
        int readerIndex = call.readerIndex();
        @Nullable RpcCallHeader header = RpcCallHeader.parse(call);
        assertThat(call.readerIndex()).isEqualTo(readerIndex);
        if (header == null) {
            return 0;
        }
        assertThat(header.argumentsOffset()).isBetween(40, call.readableBytes());
        UpperLayerBinding binding = NFS.of(header);
        List<XdrItem> items = binding.reducibleArguments(header, call);
        checkItems(items, call, header.argumentsOffset(), WHOLE);
        assertThat(binding.mayReduceArguments(header) || items.isEmpty()).isTrue();
        assertThat(header.protection() == Protection.CLEAR || items.isEmpty()).isTrue();
        checkBounds(binding.replyBounds(header, call));
        return items.size();
    }

    private static void checkBounds(ReplyBounds bounds) {
        if (bounds.maxBytes() == ReplyBounds.UNKNOWN_BYTES) {
            assertThat(bounds.reducibleBytes()).isEmpty();
            return;
        }
        long fixed = bounds.maxBytes();
        for (int bytes : bounds.reducibleBytes()) {
            assertThat(bytes).isNotNegative();
            fixed -= XdrLengths.padded(bytes);
        }
        assertThat(fixed).isGreaterThanOrEqualTo(24);
    }

    /** Any octets as the reply to a call of this procedure; returns how many reducible results were found. */
    static int checkReply(int program, int version, int procedure, ByteBuf reply, BitSet reduced) {
        RpcCallHeader header = new RpcCallHeader(XdrMessage.XID, program, version, procedure, Protection.CLEAR, 40);
        int readerIndex = reply.readerIndex();
        List<XdrItem> items = NFS.of(header).reducibleResults(header, reply, reduced);
        assertThat(reply.readerIndex()).isEqualTo(readerIndex);
        checkItems(items, reply, 24, reduced);
        return items.size();
    }

    private static void checkItems(List<XdrItem> items, ByteBuf message, int from, BitSet reduced) {
        long end = from;
        for (int i = 0; i < items.size(); i++) {
            XdrItem item = items.get(i);
            assertThat((long) item.offset()).isGreaterThanOrEqualTo(end + 4);
            assertThat(message.getInt(message.readerIndex() + item.offset() - 4))
                    .isEqualTo(item.lengthBytes());
            end = item.offset() + (reduced.get(i) ? 0 : XdrLengths.padded(item.lengthBytes()));
            assertThat(end).isLessThanOrEqualTo(message.readableBytes());
        }
    }
}
