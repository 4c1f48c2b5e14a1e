// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What shows after many octets only: numbers that overflow, memory that does not come back, octets that go astray. As
 * many GiB for each test as {@code -Dlong.transfer.gib} says, 100 unless set.
 */
@Tag("long")
@ExtendWith(LeavesNothingOpen.class)
class LargeTransferTest {

    private static final long OCTETS = Long.getLong("long.transfer.gib", 100) << 30;
    private static final int SEND_BYTES = 64 * 1024;
    private static final int SENDS_IN_FLIGHT = 16;
    private static final int BLOCK_BYTES = 1024 * 1024;
    private static final int BLOCKS_IN_FLIGHT = 8;
    private static final long TURN_BYTES = 2L * BLOCK_BYTES;

    private final CompletableFuture<Long> moved = new CompletableFuture<>();

    private static void mark(ByteBuf buffer, int bytes, long number) {
        buffer.setLong(0, number);
        buffer.setLong(bytes - Long.BYTES, ~number);
    }

    private static void check(ByteBuf buffer, int bytes, long number) {
        if (buffer.getLong(0) != number || buffer.getLong(bytes - Long.BYTES) != ~number) {
            throw new AssertionError("block " + number + " begins with " + buffer.getLong(0) + " and ends with ~"
                    + ~buffer.getLong(bytes - Long.BYTES));
        }
    }

    /** Waits as long as it takes: how long that is says something of the machine alone. */
    private void awaitAll(String what) throws Exception {
        long begin = System.nanoTime();
        assertThat(moved.get()).isEqualTo(OCTETS);
        System.out.printf(
                "%s: %,d octets over one connection in %,d s%n",
                what, OCTETS, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
    }

    private abstract class Moving extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            moved.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            moved.completeExceptionally(new AssertionError("the connection has ended"));
        }
    }

    /** Sends messages, as many ahead of their acknowledgements as the peer has receives. */
    private final class Sender extends Moving {
        private long sent;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context, SENDS_IN_FLIGHT);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            int count = ((ByteBuf) message).readInt();
            ReferenceCountUtil.release(message);
            send(context, count);
        }

        private void send(ChannelHandlerContext context, int count) {
            for (int i = 0; i < count && sent * SEND_BYTES < OCTETS; i++) {
                ByteBuf content = context.alloc().directBuffer(SEND_BYTES).writerIndex(SEND_BYTES);
                mark(content, SEND_BYTES, sent++);
                context.write(content).addListener(future -> {
                    if (!future.isSuccess()) {
                        moved.completeExceptionally(future.cause());
                    }
                });
            }
            context.flush();
        }
    }

    private final class Receiver extends Moving {
        private long received;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf content = (ByteBuf) message;
            assertThat(content.readableBytes()).isEqualTo(SEND_BYTES);
            check(content, SEND_BYTES, received++);
            content.release();
            if (received * SEND_BYTES >= OCTETS) {
                moved.complete(received * SEND_BYTES);
            } else if (received % (SENDS_IN_FLIGHT / 2) == 0) {
                context.writeAndFlush(context.alloc().directBuffer(4).writeInt(SENDS_IN_FLIGHT / 2));
            }
        }
    }

    @Test
    void sends() throws Exception {
        try (ChannelPair pair = new ChannelPair(Receiver::new, Sender::new)
                .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, SEND_BYTES)
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 2 * SENDS_IN_FLIGHT)) {
            pair.connect();
            awaitAll("Sends of 64 KiB");
        }
    }

    /** Written and read once; of the event loop. */
    private static final class Turns {
        private long begun;
        private long done;
    }

    /** Writes a block and reads it back, again and again, beside others that do the same. */
    private final class Block {
        private final RdmaChannel channel;
        private final RdmaMemory source;
        private final RdmaMemory target;
        private final RemoteSegment remote;
        private final Turns turns;

        Block(RdmaChannel channel, RemoteSegment remote, Turns turns) throws Exception {
            this.channel = channel;
            this.remote = remote;
            this.turns = turns;
            source = channel.allocateMemory(BLOCK_BYTES, RdmaAccess.LOCAL);
            target = channel.allocateMemory(BLOCK_BYTES, RdmaAccess.LOCAL);
        }

        void next() {
            if (turns.begun * TURN_BYTES >= OCTETS) {
                return;
            }
            long number = turns.begun++;
            mark(source.content(), BLOCK_BYTES, number);
            channel.write(new RdmaWrite(source.content().retainedDuplicate().setIndex(0, BLOCK_BYTES), remote));
            channel.writeAndFlush(new RdmaRead(
                            remote, target.content().retainedDuplicate().setIndex(0, 0)))
                    .addListener(future -> {
                        if (!future.isSuccess()) {
                            moved.completeExceptionally(future.cause());
                            return;
                        }
                        try {
                            check(target.content(), BLOCK_BYTES, number);
                            if (++turns.done * TURN_BYTES >= OCTETS) {
                                moved.complete(turns.done * TURN_BYTES);
                            }
                            next();
                        } catch (Throwable e) {
                            moved.completeExceptionally(e);
                        }
                    });
        }

        void release() {
            source.release();
            target.release();
        }
    }

    @Test
    void writesAndReads() throws Exception {
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new)) {
            RdmaChannel channel = pair.connect();
            RdmaChannel child = pair.accepted();
            ChannelPair.until(child::isActive, "the accepted channel is active");
            RdmaMemory exposed = ChannelPair.onLoop(
                    child, () -> child.allocateMemory(BLOCKS_IN_FLIGHT * BLOCK_BYTES, RdmaAccess.REMOTE_READ_WRITE));
            Turns turns = new Turns();
            RemoteSegment all = exposed.segment();
            Block[] blocks = new Block[BLOCKS_IN_FLIGHT];
            ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < blocks.length; i++) {
                    blocks[i] = new Block(channel, all.slice(i * BLOCK_BYTES, BLOCK_BYTES), turns);
                    blocks[i].next();
                }
            });
            awaitAll("RDMA Writes and Reads of 1 MiB");
            ChannelPair.onLoop(channel, () -> {
                for (Block block : blocks) {
                    block.release();
                }
            });
            ChannelPair.onLoop(child, () -> exposed.release());
        }
    }
}
