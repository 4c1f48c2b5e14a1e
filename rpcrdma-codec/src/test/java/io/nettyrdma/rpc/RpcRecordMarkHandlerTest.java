// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.TooLongFrameException;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.kit.TestPipeline;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RpcRecordMarkHandlerTest {

    private final TestPipeline pipeline = new TestPipeline(new RpcRecordMarkHandler(64));
    private final EmbeddedChannel channel = pipeline.channel;

    @AfterEach
    void nothingIsLeft() {
        pipeline.close();
    }

    private ChannelFuture write(String hex) {
        return channel.writeAndFlush(pipeline.buffer(ByteBufUtil.decodeHexDump(hex)));
    }

    @Test
    void inboundMessageGetsAMark() {
        pipeline.receive("0102030405060708");

        assertThat(pipeline.delivered()).isEqualTo("80000008" + "0102030405060708");
    }

    @Test
    @Requirement("V1-009")
    void markOfAWholeRecordIsRemovedWithoutACopy() {
        ByteBuf buffer = pipeline.buffer(ByteBufUtil.decodeHexDump("80000004" + "01020304"));
        ChannelFuture written = channel.writeAndFlush(buffer);

        ByteBuf sent = channel.readOutbound();
        assertThat(sent).isSameAs(buffer);
        assertThat(ByteBufUtil.hexDump(sent)).isEqualTo("01020304");
        assertThat(written.isSuccess()).isTrue();
        sent.release();
    }

    @Test
    void fragmentsAreJoined() {
        ChannelFuture first = write("00000004" + "01020304");
        assertThat(pipeline.sent()).isEqualTo("none");
        assertThat(first.isDone()).isFalse();

        ChannelFuture last = write("80000004" + "05060708");

        assertThat(pipeline.sent()).isEqualTo("0102030405060708");
        assertThat(first.isSuccess()).isTrue();
        assertThat(last.isSuccess()).isTrue();
    }

    @Test
    void markAndRecordMayBeWrittenApart() {
        ChannelFuture mark = write("80000004");
        assertThat(pipeline.sent()).isEqualTo("none");
        write("01020304");

        assertThat(pipeline.sent()).isEqualTo("01020304");
        assertThat(mark.isSuccess()).isTrue();
    }

    @Test
    void streamMayBeCutAnywhere() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        StringBuilder stream = new StringBuilder();
        List<String> records = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            StringBuilder record = new StringBuilder();
            for (int fragments = random.nextInt(3); fragments >= 0; fragments--) {
                byte[] fragment = new byte[random.nextInt(20)];
                random.nextBytes(fragment);
                int mark = fragment.length | (fragments == 0 ? 0x80000000 : 0);
                record.append(ByteBufUtil.hexDump(fragment));
                stream.append(String.format("%08x", mark)).append(ByteBufUtil.hexDump(fragment));
            }
            records.add(record.toString());
        }
        List<ChannelFuture> written = new ArrayList<>();
        for (int at = 0; at < stream.length(); ) {
            int end = Math.min(stream.length(), at + 2 * (1 + random.nextInt(30)));
            written.add(write(stream.substring(at, end)));
            at = end;
        }

        for (String record : records) {
            assertThat(pipeline.sent()).as("seed %d", seed).isEqualTo(record);
        }
        assertThat(pipeline.sent()).isEqualTo("none");
        assertThat(written).as("seed %d", seed).allMatch(ChannelFuture::isSuccess);
    }

    @Test
    void recordBeyondTheLimitClosesTheChannel() {
        ChannelFuture first = write("00000028" + "00".repeat(40));
        ChannelFuture second = write("80000028" + "00".repeat(40));

        assertThat(first.cause()).isInstanceOf(TooLongFrameException.class).hasMessageContaining("64");
        assertThat(second.cause()).isInstanceOf(TooLongFrameException.class);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void pieceOfARecordFailsWithTheConnection() {
        ChannelFuture piece = write("80000008" + "01020304");

        channel.close();

        assertThat(piece.cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void emptyBuffersAndOtherObjectsPass() {
        channel.writeAndFlush("other");
        channel.writeInbound("other");

        assertThat(channel.<Object>readOutbound()).isEqualTo("other");
        assertThat(channel.<Object>readInbound()).isEqualTo("other");
    }
}
