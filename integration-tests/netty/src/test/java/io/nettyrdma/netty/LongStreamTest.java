// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What shows on one byte stream after many bytes or words only: numbers that wrap, bytes that go astray. As many GiB as
 * {@code -Dlong.transfer.gib} says, 100 unless set.
 */
@Tag("long")
class LongStreamTest {

    private static final long BYTES = Long.getLong("long.transfer.gib", 100) << 30;
    private static final int WRITE_BYTES = 64 * 1024;
    private static final int BLOCKS = 61; // no divisor of anything
    /** Limits are counted modulo 65,536. */
    private static final int WORDS = 70_000;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());

    @AfterEach
    void end() throws InterruptedException {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private void connect(Supplier<Moving> server, Supplier<Moving> client) throws InterruptedException {
        InetSocketAddress address = (InetSocketAddress) new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(initializer(server))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel()
                .localAddress();
        new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .handler(initializer(client))
                .connect(address)
                .sync();
    }

    private static ChannelInitializer<Channel> initializer(Supplier<Moving> handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handler.get());
            }
        };
    }

    /** A side that tells of its end. */
    private abstract static class Moving extends ChannelInboundHandlerAdapter {
        final CompletableFuture<Long> done;

        Moving(CompletableFuture<Long> done) {
            this.done = done;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            done.completeExceptionally(new AssertionError("the connection has ended"));
        }
    }

    /** Writes blocks of random bytes as fast as the peer takes them. */
    private static final class Writer extends Moving {
        private final CRC32C sum = new CRC32C();
        private final ByteBuf[] blocks = new ByteBuf[BLOCKS];
        private long written;

        Writer(CompletableFuture<Long> done) {
            super(done);
            Random random = new Random(1);
            for (int i = 0; i < BLOCKS; i++) {
                byte[] bytes = new byte[WRITE_BYTES];
                random.nextBytes(bytes);
                ByteBuffer direct =
                        ByteBuffer.allocateDirect(WRITE_BYTES).put(bytes).flip();
                blocks[i] = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(direct));
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            write(context);
        }

        private void write(ChannelHandlerContext context) {
            while (context.channel().isWritable() && written < BYTES) {
                ByteBuf block = blocks[(int) (written / WRITE_BYTES % BLOCKS)];
                written += WRITE_BYTES;
                sum.update(block.nioBuffer());
                context.writeAndFlush(block.duplicate()).addListener(future -> {
                    if (!future.isSuccess()) {
                        done.completeExceptionally(future.cause());
                    }
                });
                if (written == BYTES) {
                    done.complete(sum.getValue());
                }
            }
        }
    }

    private static final class Reader extends Moving {
        private final CRC32C sum = new CRC32C();
        private long read;

        Reader(CompletableFuture<Long> done) {
            super(done);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            read += bytes.readableBytes();
            sum.update(bytes.nioBuffer());
            bytes.release();
            if (read == BYTES) {
                done.complete(sum.getValue());
            } else if (read > BYTES) {
                done.completeExceptionally(new AssertionError("more bytes than were sent: " + read));
            }
        }
    }

    /** Waits as long as it takes: how long that is says something of the machine alone. */
    @Test
    void sumsOfALongTransferAreEqual() throws Exception {
        CompletableFuture<Long> sent = new CompletableFuture<>();
        CompletableFuture<Long> received = new CompletableFuture<>();
        long begin = System.nanoTime();
        connect(() -> new Reader(received), () -> new Writer(sent));
        assertThat(received.get()).isEqualTo(sent.get());
        System.out.printf(
                "byte stream: %,d bytes over one connection in %,d s%n",
                BYTES, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
    }

    /** Sends bytes one by one, each of which is a word DATA, and checks those of the peer. */
    private static final class Counter extends Moving {
        private int sent;
        private int received;

        Counter(CompletableFuture<Long> done) {
            super(done);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().directBuffer(1).writeByte(sent++))
                    .addListener(future -> {
                        if (!future.isSuccess()) {
                            done.completeExceptionally(future.cause());
                        } else if (sent < WORDS) {
                            context.executor().execute(() -> send(context));
                        }
                    });
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            while (bytes.isReadable()) {
                byte expected = (byte) received++;
                byte found = bytes.readByte();
                if (found != expected) {
                    done.completeExceptionally(
                            new AssertionError("byte " + (received - 1) + ": " + found + ", not " + expected));
                }
            }
            bytes.release();
            if (received == WORDS) {
                done.complete((long) received);
            }
        }
    }

    @Test
    void limitsWrapInBothDirections() throws Exception {
        CompletableFuture<Long> server = new CompletableFuture<>();
        CompletableFuture<Long> client = new CompletableFuture<>();
        connect(() -> new Counter(server), () -> new Counter(client));
        assertThat(server.get()).isEqualTo(WORDS);
        assertThat(client.get()).isEqualTo(WORDS);
    }
}
