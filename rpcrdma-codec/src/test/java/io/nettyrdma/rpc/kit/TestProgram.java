// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A program of one procedure: its arguments are any number of {@code opaque<>}, reducible; then follow the lengths of
 * the results it asks for, which are opaque and reducible as well, and padding that is neither. {@code trailer} octets
 * follow the results.
 *
 * <p>Arguments: count, opaques, count of results, their lengths, trailer length. Results: count, opaques, trailer.
 */
public class TestProgram implements UpperLayerBinding {

    public static final int PROGRAM = 500_000;
    /** Octets of a call without credentials and arguments. */
    public static final int CALL_BYTES = 40;
    /** Octets of an accepted reply without verifier and results. */
    public static final int ACCEPTED_REPLY_BYTES = 24;

    public static final UpperLayerBindings BINDINGS = UpperLayerBindings.none().with(PROGRAM, 1, new TestProgram());

    public static ByteBuf call(
            ByteBufAllocator alloc, int xid, List<ByteBuf> arguments, List<Integer> results, int trailer) {
        ByteBuf call = RpcHeaders.call(alloc, xid, PROGRAM, 1, 1);
        call.writeInt(arguments.size());
        for (ByteBuf argument : arguments) {
            XdrOpaque.write(call, argument);
        }
        call.writeInt(results.size());
        results.forEach(call::writeInt);
        return call.writeInt(trailer);
    }

    public static ByteBuf call(int xid, List<Integer> arguments, List<Integer> results, int trailer) {
        return call(
                ByteBufAllocator.DEFAULT,
                xid,
                arguments.stream().map(it -> pattern(it, 3)).toList(),
                results,
                trailer);
    }

    public static ByteBuf pattern(int bytes, int seed) {
        ByteBuf out = Unpooled.buffer(Math.max(1, bytes));
        for (int i = 0; i < bytes; i++) {
            out.writeByte(i * 7 + seed + (i >>> 8));
        }
        return out;
    }

    /** The whole reply to a whole call. */
    public static ByteBuf reply(ByteBuf call) {
        ByteBuf arguments = call.duplicate().skipBytes(CALL_BYTES);
        for (int n = arguments.readInt(); n > 0; n--) {
            arguments.skipBytes(arguments.readInt() + 3 & ~3);
        }
        ByteBuf reply = RpcHeaders.accepted(ByteBufAllocator.DEFAULT, RpcHeaders.xid(call), RpcHeaders.SUCCESS);
        try {
            int count = arguments.readInt();
            reply.writeInt(count);
            for (int i = 0; i < count; i++) {
                int bytes = arguments.readInt();
                reply.writeInt(bytes).writeBytes(pattern(bytes, i)).writeZero(-bytes & 3);
            }
            return reply.writeBytes(pattern(arguments.readInt(), 9));
        } catch (RuntimeException e) {
            reply.release(); // octets were changed on their way
            throw e;
        }
    }

    /** Answers all calls. */
    public static ChannelHandler server() {
        return new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
                ctx.writeAndFlush(reply(call));
            }
        };
    }

    /** Makes a call, which is answered rightly. */
    public static void check(RpcRdmaRequester requester, ByteBuf call) throws Exception {
        check(it -> requester.call(it, Deadline.DURATION), 1, () -> call, "a call");
    }

    /** Makes calls all at once, which are answered rightly. */
    public static void check(Function<ByteBuf, Future<ByteBuf>> caller, int calls, Supplier<ByteBuf> call, String about)
            throws Exception {
        List<ByteBuf> expected = new ArrayList<>();
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            ByteBuf next = call.get();
            expected.add(reply(next));
            replies.add(caller.apply(next));
        }
        for (int i = 0; i < calls; i++) {
            ByteBuf reply =
                    RdmaLoopback.await(replies.get(i), about + ", call " + i).getNow();
            assertThat(reply).as("%s, call %d", about, i).isEqualTo(expected.get(i));
            reply.release();
            expected.get(i).release();
        }
    }

    @Override
    public boolean mayReduceArguments(RpcCallHeader header) {
        return true;
    }

    @Override
    public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
        return opaques(call, header.argumentsOffset(), new BitSet());
    }

    @Override
    public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
        List<XdrItem> arguments = opaques(call, header.argumentsOffset(), new BitSet());
        int at = header.argumentsOffset() + 4;
        for (XdrItem argument : arguments) {
            at = argument.offset() + (argument.lengthBytes() + 3 & ~3);
        }
        int count = call.getInt(call.readerIndex() + at);
        List<Integer> results = new ArrayList<>();
        int bytes = ACCEPTED_REPLY_BYTES + 4;
        for (int i = 1; i <= count; i++) {
            int length = call.getInt(call.readerIndex() + at + 4 * i);
            results.add(length);
            bytes += 4 + (length + 3 & ~3);
        }
        return new ReplyBounds(bytes + call.getInt(call.readerIndex() + at + 4 * count + 4), results);
    }

    @Override
    public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
        return RpcHeaders.acceptStatus(reply) == RpcHeaders.SUCCESS
                ? opaques(reply, ACCEPTED_REPLY_BYTES, reduced)
                : List.of();
    }

    private static List<XdrItem> opaques(ByteBuf message, int offset, BitSet absent) {
        List<XdrItem> items = new ArrayList<>();
        int end = message.readableBytes();
        int count = end - offset < 4 ? 0 : message.getInt(message.readerIndex() + offset);
        int at = offset + 4;
        for (int i = 0; i < count && end - at >= 4; i++) {
            int length = message.getInt(message.readerIndex() + at);
            at += 4;
            if (length < 0 || !absent.get(i) && length > end - at) {
                break;
            }
            items.add(new XdrItem(at, length));
            at += absent.get(i) ? 0 : length + 3 & ~3;
        }
        return items;
    }
}
