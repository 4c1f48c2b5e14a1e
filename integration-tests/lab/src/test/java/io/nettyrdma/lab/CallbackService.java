// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static io.nettyrdma.lab.Nfs41Operation.CB_RECALL;
import static io.nettyrdma.lab.Nfs41Operation.CB_SEQUENCE;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The callback program of an NFS 4.1 client (RFC 8881, section 20), as far as delegations go: each recall is kept until
 * the test answers it.
 *
 * <p>Threading: recalls are taken and answered on any thread. Ownership: one instance may serve several connections.
 */
@ChannelHandler.Sharable
final class CallbackService extends SimpleChannelInboundHandler<ByteBuf> {
    /** Of those that RFC 5531 leaves to programs that are not known to everybody. */
    static final int PROGRAM = 0x4000_0000;

    private static final int VERSION = 1;
    private static final int CB_COMPOUND = 1;
    private static final int MINOR_VERSION = 1;

    private final BlockingQueue<Recall> recalls = new LinkedBlockingQueue<>();

    /** What was received and is no recall. */
    final List<String> strangers = new CopyOnWriteArrayList<>();

    /**
     * The server wants a delegation back.
     *
     * @param session of the client that is meant
     * @param stateid of the delegation
     * @param file its handle
     */
    record Recall(Channel channel, int xid, String session, int sequence, int slot, String stateid, String file) {
        /** Says that it will come back. */
        void answer() throws Exception {
            ByteBuf reply = RpcHeaders.accepted(channel.alloc(), xid, RpcHeaders.SUCCESS)
                    .writeInt(0)
                    .writeInt(0) // no tag
                    .writeInt(2);
            reply.writeInt(CB_SEQUENCE.number)
                    .writeInt(0)
                    .writeBytes(HexFormat.of().parseHex(session));
            reply.writeInt(sequence).writeInt(slot).writeInt(slot).writeInt(slot);
            reply.writeInt(CB_RECALL.number).writeInt(0);
            write(reply);
        }

        /** Has it answered by an RPC-over-RDMA error. */
        void refuse() throws Exception {
            write(new RpcCallRefusal(xid));
        }

        private void write(Object answer) throws Exception {
            channel.writeAndFlush(answer).get(Deadline.SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Waits for a recall that nobody has taken yet. */
    Recall next(Duration limit) throws InterruptedException {
        Recall recall = recalls.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (recall == null) {
            throw new AssertionError(
                    "waited " + limit.toMillis() + " ms in vain for a recall; something else came: " + strangers);
        }
        return recall;
    }

    /** Whether there is a recall that nobody has taken yet. */
    boolean hasNext() {
        return !recalls.isEmpty();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) throws IOException {
        boolean expected = RpcHeaders.isCall(message)
                && RpcHeaders.program(message) == PROGRAM
                && RpcHeaders.version(message) == VERSION
                && RpcHeaders.procedure(message) == CB_COMPOUND;
        if (!expected) {
            strangers.add(ByteBufUtil.hexDump(message));
            return;
        }
        int xid = RpcHeaders.xid(message);
        message.skipBytes(6 * 4);
        message.skipBytes(4);
        Compound.readOpaque(message); // credential
        message.skipBytes(4);
        Compound.readOpaque(message); // verifier
        Compound.readOpaque(message); // tag
        expect(message, MINOR_VERSION);
        message.skipBytes(4); // of version 4.0
        expect(message, 2);
        expect(message, CB_SEQUENCE.number);
        String session = Compound.readFixed(message, Compound.SESSION_ID_BYTES);
        int sequence = message.readInt();
        int slot = message.readInt();
        message.skipBytes(2 * 4); // highest slot; whether the answer is to be kept
        expect(message, 0); // lists of calls that this one refers to
        expect(message, CB_RECALL.number);
        String stateid = Compound.readFixed(message, Compound.STATEID_BYTES);
        message.skipBytes(4);
        String file = Compound.readOpaque(message);
        recalls.add(new Recall(ctx.channel(), xid, session, sequence, slot, stateid, file));
    }

    private static void expect(ByteBuf message, int word) throws IOException {
        int index = message.readerIndex();
        int found = message.readInt();
        if (found != word) {
            throw new IOException(
                    found + " in place of " + word + " at " + index + " of " + ByteBufUtil.hexDump(message));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        strangers.add(cause.toString());
    }
}
