// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.RandomChunks;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Properties over generated messages; the seed is part of every failure. */
class RandomRoundTripTest {

    private static final int RUNS = 20_000;

    private final long seed = Long.getLong("io.nettyrdma.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final RandomChunks chunks = new RandomChunks(random);
    private final RpcRdmaDecoder decoder = new RpcRdmaDecoder(DecodeLimits.NONE);

    @Test
    @Requirement({"V1-004", "V1-029", "V1-041", "V1-048", "V1-070", "V1-075"})
    void whatIsEncodedDecodesToItself() {
        for (int run = 0; run < RUNS; run++) {
            Direction direction = random.nextBoolean() ? Direction.CALL : Direction.REPLY;
            RpcRdmaMessage message = message(direction);
            ByteBuf out = Unpooled.buffer();

            RpcRdmaEncoder.encode(message, out);

            assertThat(out.readableBytes()).as("seed %d", seed).isEqualTo(RpcRdmaEncoder.encodedBytes(message));
            appendPayload(message, direction, out);
            assertThat(decoder.decode(out, direction))
                    .as("seed %d run %d", seed, run)
                    .isEqualTo(message);
        }
    }

    @Test
    @Requirement({"V1-107", "V1-112"})
    void anyOctetsGetAVerdict() {
        for (int run = 0; run < RUNS; run++) {
            Direction direction = random.nextBoolean() ? Direction.CALL : Direction.REPLY;
            RpcRdmaMessage message = message(direction);
            ByteBuf out = Unpooled.buffer();
            RpcRdmaEncoder.encode(message, out);
            appendPayload(message, direction, out);
            for (int i = random.nextInt(4); i >= 0; i--) {
                out.setByte(random.nextInt(out.readableBytes()), random.nextInt(256));
            }
            out.writerIndex(random.nextInt(out.readableBytes() + 1));

            Decoded decoded = decoder.decode(out, direction);

            if (decoded instanceof Rejection rejection && direction == Direction.REPLY) {
                assertThat(rejection.reaction()).as("seed %d run %d", seed, run).isEqualTo(Rejection.Reaction.DISCARD);
            }
        }
    }

    private void appendPayload(RpcRdmaMessage message, Direction direction, ByteBuf out) {
        if (message instanceof RpcRdmaMessage.Msg) {
            out.writeInt(message.xid()).writeInt(direction == Direction.CALL ? 0 : 1);
            out.writeZero(4 * random.nextInt(20));
        }
    }

    private RpcRdmaMessage message(Direction direction) {
        int xid = random.nextInt();
        long credits = 1 + (random.nextInt() & 0xffff_ffffL) % 0xffff_ffffL;
        if (direction == Direction.REPLY && random.nextInt(8) == 0) {
            return random.nextBoolean()
                    ? new RpcRdmaMessage.ErrorMsg(xid, 1, credits, null)
                    // Version 2 has errors of its own that look alike.
                    : new RpcRdmaMessage.ErrorMsg(
                            xid,
                            random.nextBoolean() ? 1 : 3 + random.nextInt(9),
                            credits,
                            new VersionRange(chunks.word(), chunks.word()));
        }
        if (random.nextInt(4) == 0) {
            return new RpcRdmaMessage.NoMsg(
                    xid,
                    1,
                    credits,
                    direction == Direction.CALL ? chunks.offeredWithPayload() : chunks.returnedWithPayload());
        }
        return direction == Direction.CALL
                ? new RpcRdmaMessage.Msg(xid, 1, credits, chunks.offered())
                : new RpcRdmaMessage.Msg(xid, 1, credits, chunks.returned());
    }
}
