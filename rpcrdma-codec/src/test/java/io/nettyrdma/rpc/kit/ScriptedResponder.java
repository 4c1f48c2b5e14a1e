// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The other end of a requester under test: pulls what a call offers, and answers in any way a script wants, also
 * wrongly.
 */
public final class ScriptedResponder extends SimpleChannelInboundHandler<ByteBuf> {

    /** Headers of the calls, in order. */
    public final Queue<RpcRdmaMessage> calls = new ConcurrentLinkedQueue<>();

    private final Consumer<Exchange> script;
    private final long grant;

    public ScriptedResponder(long grant, Consumer<Exchange> script) {
        this.grant = grant;
        this.script = script;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) throws Exception {
        RpcRdmaMessage header = (RpcRdmaMessage) new RpcRdmaDecoder(DecodeLimits.NONE).decode(message, Direction.CALL);
        calls.add(header);
        Exchange exchange = new Exchange(ctx, header, message.skipBytes(RpcRdmaEncoder.encodedBytes(header)));
        exchange.pull();
    }

    /** One call, on the event loop. */
    public final class Exchange {
        public final ChannelHandlerContext ctx;
        public final RpcRdmaMessage header;
        public final ChunkLists chunks;
        /** The rebuilt call. */
        public byte[] call;
        /** Bytes at the end of each chunk that the reply claims and that are not written. */
        public int withheldBytes;

        private final byte[] inline;
        private final List<RdmaMemory> pulled = new ArrayList<>();

        private Exchange(ChannelHandlerContext ctx, RpcRdmaMessage header, ByteBuf inline) {
            this.ctx = ctx;
            this.header = header;
            this.inline = ByteBufUtil.getBytes(inline);
            chunks = header instanceof RpcRdmaMessage.Msg msg ? msg.chunks() : ((RpcRdmaMessage.NoMsg) header).chunks();
        }

        private void pull() throws Exception {
            RdmaChannel channel = (RdmaChannel) ctx.channel();
            if (chunks.readList().isEmpty()) {
                call = inline;
                script.accept(this);
                return;
            }
            for (ReadSegment read : chunks.readList()) {
                PlainSegment segment = read.segment();
                RdmaMemory memory = channel.allocateMemory((int) segment.lengthBytes(), RdmaAccess.LOCAL);
                pulled.add(memory);
                boolean last = pulled.size() == chunks.readList().size();
                ctx.write(new RdmaRead(remote(segment), memory.content().retain()))
                        .addListener(done -> {
                            if (!last) {
                                return; // the call is rebuilt from all of them together
                            }
                            if (done.isSuccess()) {
                                rebuild();
                                script.accept(this);
                            }
                            pulled.forEach(RdmaMemory::release);
                        });
            }
            ctx.flush();
        }

        private void rebuild() {
            TreeMap<Long, byte[]> byPosition = new TreeMap<>();
            for (int i = 0; i < pulled.size(); i++) {
                byPosition.put(
                        chunks.readList().get(i).position(),
                        ByteBufUtil.getBytes(pulled.get(i).content()));
            }
            byte[] stream = byPosition.remove(0L);
            ByteBuf whole = ctx.alloc().buffer();
            ByteBuf rest = ctx.alloc().buffer().writeBytes(stream == null ? inline : stream);
            byPosition.forEach((position, octets) -> {
                whole.writeBytes(rest, (int) (position - whole.writerIndex()));
                whole.writeBytes(octets).writeZero(-octets.length & 3);
            });
            call = ByteBufUtil.getBytes(whole.writeBytes(rest));
            whole.release();
            rest.release();
        }

        /** The right reply, whole. */
        public ByteBuf reply() {
            ByteBuf whole = ctx.alloc().buffer().writeBytes(call);
            try {
                return TestProgram.reply(whole);
            } finally {
                whole.release();
            }
        }

        /** As a well-behaved responder answers: results in write chunks, the rest inline or in the reply chunk. */
        public void answer() {
            answer(this::send);
        }

        /** The same, with an invalidation. */
        public void answerInvalidating(int key) {
            answer((message, payload) -> sendInvalidating(message, payload, key));
        }

        private void answer(BiConsumer<RpcRdmaMessage, ByteBuf> way) {
            ByteBuf whole = reply();
            ByteBuf stream = ctx.alloc().buffer().writeBytes(whole, TestProgram.ACCEPTED_REPLY_BYTES + 4);
            int results = stream.getInt(TestProgram.ACCEPTED_REPLY_BYTES);
            List<WriteChunk> writeList = new ArrayList<>();
            for (int i = 0; i < results; i++) {
                int bytes = whole.readInt();
                stream.writeInt(bytes);
                ByteBuf result = whole.readRetainedSlice(bytes);
                int padding = -bytes & 3;
                if (i < chunks.writeList().size()) {
                    writeList.add(push(result, chunks.writeList().get(i)));
                } else {
                    stream.writeBytes(result).writeZero(padding);
                    result.release();
                }
                whole.skipBytes(padding);
            }
            for (int i = results; i < chunks.writeList().size(); i++) {
                writeList.add(chunks.writeList().get(i).asUnused());
            }
            stream.writeBytes(whole);
            whole.release();
            if (chunks.replyChunk() != null) {
                WriteChunk used = push(stream, chunks.replyChunk());
                way.accept(
                        new RpcRdmaMessage.NoMsg(header.xid(), 1, grant, new ChunkLists(List.of(), writeList, used)),
                        null);
            } else {
                way.accept(
                        new RpcRdmaMessage.Msg(header.xid(), 1, grant, new ChunkLists(List.of(), writeList, null)),
                        stream);
            }
        }

        /** Whole and inline, whatever was offered. */
        public void answerInline(ChunkLists returned) {
            send(new RpcRdmaMessage.Msg(header.xid(), 1, grant, returned), reply());
        }

        /** Writes these octets to the segments of a chunk; returns the chunk with the lengths written. */
        public WriteChunk push(ByteBuf octets, WriteChunk chunk) {
            List<PlainSegment> used = new ArrayList<>();
            for (PlainSegment segment : chunk.segments()) {
                int bytes = (int) Math.min(octets.readableBytes(), segment.lengthBytes());
                used.add(new PlainSegment(segment.handle(), bytes, segment.offset()));
                if (bytes > 0) {
                    int written = Math.max(0, bytes - withheldBytes);
                    if (written > 0) {
                        ctx.write(new RdmaWrite(octets.readRetainedSlice(written), remote(segment)));
                    }
                    octets.skipBytes(bytes - written);
                }
            }
            octets.release();
            return new WriteChunk(used);
        }

        /** Returns a write chunk, with the rest of the reply behind the header. */
        public void sendMsg(WriteChunk returned, ByteBuf stream) {
            ChunkLists chunks = new ChunkLists(List.of(), List.of(returned), null);
            send(new RpcRdmaMessage.Msg(header.xid(), 1, grant, chunks), stream);
        }

        /** Returns a reply chunk. */
        public void sendNoMsg(WriteChunk returned) {
            send(
                    new RpcRdmaMessage.NoMsg(header.xid(), 1, grant, new ChunkLists(List.of(), List.of(), returned)),
                    null);
        }

        public void send(RpcRdmaMessage message, ByteBuf payload) {
            ctx.writeAndFlush(frame(message, payload));
        }

        public void sendInvalidating(RpcRdmaMessage message, ByteBuf payload, int key) {
            ctx.writeAndFlush(RdmaSend.invalidating(frame(message, payload), key));
        }

        private ByteBuf frame(RpcRdmaMessage message, ByteBuf payload) {
            ByteBuf out = ByteBufAllocator.DEFAULT.buffer();
            RpcRdmaEncoder.encode(message, out);
            if (payload != null) {
                out.writeBytes(payload);
                payload.release();
            }
            return out;
        }
    }

    public static RemoteSegment remote(PlainSegment segment) {
        return new RemoteSegment(segment.handle(), segment.offset(), (int) segment.lengthBytes());
    }
}
