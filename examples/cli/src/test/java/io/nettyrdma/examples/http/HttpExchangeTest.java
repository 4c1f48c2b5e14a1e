// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.examples.guard.LineLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.ReplyProgress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpExchangeTest {

    private static final int FILE_BYTES = 1_000_000;
    private static final int STALL_SECONDS = 30;

    @TempDir
    Path directory;

    private final List<String> lines = new ArrayList<>();

    /** Takes as many bytes of a region as the test says. */
    private static final class Client extends ChannelOutboundHandlerAdapter implements WritableByteChannel {
        private @Nullable FileRegion region;
        private @Nullable ChannelPromise promise;
        private int room;

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise written) {
            if (message instanceof FileRegion present) {
                region = present;
                promise = written;
            } else {
                ReferenceCountUtil.release(message);
            }
        }

        void take(int bytes) throws IOException {
            assertThat(region).isNotNull();
            for (room = bytes; room > 0; ) {
                region.transferTo(this, region.transferred());
            }
            if (promise instanceof ChannelProgressivePromise progress) {
                progress.tryProgress(region.transferred(), region.count());
            }
        }

        @Override
        public int write(ByteBuffer source) {
            int bytes = Math.min(room, source.remaining());
            source.position(source.position() + bytes);
            room -= bytes;
            return bytes;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            if (region != null) {
                region.release();
            }
        }
    }

    private EmbeddedChannel sendFileTo(Client client) throws IOException {
        PeerLog log = new PeerLog(lines::add, new LineLimit(10, () -> 0));
        HttpLimits limits = new HttpLimits(60, 60, STALL_SECONDS, 4096, 8192, 1, 1, 1);
        EmbeddedChannel connection = new EmbeddedChannel(
                client, HttpExchange.ofConnection(limits, new BodyBudget(1), log, new HeadDeadline(60, log), true));
        connection.freezeTime();
        Path file = Files.write(directory.resolve("file"), new byte[FILE_BYTES]);
        connection.writeOneOutbound(Reply.ofFile(FileChannel.open(file), MediaTypes.BINARY));
        return connection;
    }

    private static void pass(EmbeddedChannel connection, int seconds) {
        connection.advanceTimeBy(seconds, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
    }

    @Test
    void clientThatTakesAByteNowAndThenLosesItsConnection() throws Exception {
        try (Client client = new Client()) {
            EmbeddedChannel connection = sendFileTo(client);
            client.take(1);
            pass(connection, 20);
            client.take(1);
            pass(connection, 9);
            assertThat(connection.isOpen()).isTrue();
            client.take(1);
            pass(connection, 1);
            pass(connection, 1);
            assertThat(connection.isOpen()).isFalse();
            assertThat(lines).singleElement().asString().endsWith("lags 30 s behind with taking its response");
        }
    }

    @Test
    void clientThatTakesAFileSlowlyGetsAllOfIt() throws Exception {
        try (Client client = new Client()) {
            EmbeddedChannel connection = sendFileTo(client);
            for (int taken = 0; taken + 20 * ReplyProgress.BYTES_PER_SECOND <= FILE_BYTES; ) {
                pass(connection, 20);
                client.take(20 * ReplyProgress.BYTES_PER_SECOND);
                taken += 20 * ReplyProgress.BYTES_PER_SECOND;
            }
            assertThat(connection.isOpen()).isTrue();
        }
    }
}
