// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.v2.RandomMessages;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that send valid and broken messages of version 2 in any order: nothing is thrown but by name, or leaked. */
class HostileVersion2Test {

    private static final int CONNECTIONS = 400;
    private static final int MESSAGES = 40;
    private static final int GRANT = Rdma2.credits(64, 8);

    private final long seed = Long.getLong("io.nettyrdma.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final RandomMessages messages = new RandomMessages(random);

    private static RpcRdmaConfig config(int lowest) {
        return RpcRdmaConfig.builder()
                .versions(lowest, 2)
                .creditsGranted(8)
                .version2(v2 -> v2.maxContinuedBytes(256))
                .build();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Requirement({"V2-103", "V2-104", "V2-141", "V2-176"})
    void responderTakesAnything(int lowest) {
        for (int run = 0; run < CONNECTIONS; run++) {
            TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(config(lowest)));
            pipeline.channel.pipeline().fireChannelActive();
            List<Integer> calls = new ArrayList<>();
            attack(pipeline, run, () -> {
                for (ByteBuf call = pipeline.channel.readInbound();
                        call != null;
                        call = pipeline.channel.readInbound()) {
                    calls.add(RpcHeaders.xid(call));
                    call.release();
                }
                if (!calls.isEmpty() && random.nextBoolean() && pipeline.channel.isOpen()) {
                    int xid = calls.remove(random.nextInt(calls.size()));
                    pipeline.channel.writeAndFlush(pipeline.reply(xid));
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Requirement({"V2-103", "V2-104", "V2-141", "V2-176"})
    void requesterTakesAnything(int lowest) {
        for (int run = 0; run < CONNECTIONS; run++) {
            TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler(config(lowest)));
            pipeline.channel.pipeline().fireChannelActive();
            int[] xid = {0};
            attack(pipeline, run, () -> {
                if (random.nextBoolean() && pipeline.channel.isOpen()) {
                    pipeline.channel.writeAndFlush(pipeline.call(++xid[0]));
                }
            });
        }
    }

    private void attack(TestPipeline pipeline, int run, Runnable between) {
        try {
            for (int i = 0; i < MESSAGES && pipeline.channel.isOpen(); i++) {
                receive(pipeline);
                between.run();
            }
            pipeline.channel.finishAndReleaseAll();
        } catch (Exception e) {
            assertThat(e).as("seed %d run %d", seed, run).isInstanceOf(RpcRdmaException.class);
            pipeline.channel.finishAndReleaseAll();
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + " run " + run, e);
        }
        assertThat(pipeline.alloc.metric().usedDirectMemory()
                        + pipeline.alloc.metric().usedHeapMemory())
                .as("octets not released, seed %d run %d", seed, run)
                .isZero();
    }

    private void receive(TestPipeline pipeline) {
        ByteBuf octets = Unpooled.buffer();
        Rdma2Message message =
                switch (random.nextInt(6)) {
                    case 0 -> properties();
                    case 1 -> call(random.nextInt(4), random.nextBoolean() ? Rdma2.MORE : 0);
                    case 2 -> call(random.nextInt(4), Rdma2.RESPONSE | (random.nextBoolean() ? Rdma2.MORE : 0));
                    case 3 -> call(random.nextInt(4), 0);
                    default -> messages.message();
                };
        Rdma2Encoder.encode(message, octets);
        messages.appendPayload(message, octets);
        if (random.nextInt(4) == 0) {
            octets.setByte(random.nextInt(octets.readableBytes()), random.nextInt(256));
        }
        if (random.nextInt(8) == 0) {
            octets.writerIndex(random.nextInt(octets.readableBytes() + 1));
        }
        pipeline.receive(ByteBufUtil.getBytes(octets));
    }

    /** A whole set mostly, with the XID of a call. */
    private Rdma2Message properties() {
        int xid = random.nextInt(4);
        return switch (random.nextInt(8)) {
            case 0 -> new Rdma2Message.ConnProp(xid, GRANT, Rdma2.TPMORE, List.of());
            case 1 -> new Rdma2Message.ConnProp(xid, GRANT, Rdma2.MORE, null);
            default -> new Rdma2Message.ConnProp(xid, GRANT, 0, List.of());
        };
    }

    private static Rdma2Message call(int xid, int flags) {
        return new Rdma2Message.Msg(xid, GRANT, flags, 0, ChunkLists.ABSENT);
    }
}
