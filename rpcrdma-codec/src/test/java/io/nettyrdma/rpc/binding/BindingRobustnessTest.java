// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.binding;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.binding.Nfs4Samples.Sample;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Calls and replies with octets changed and cut off; the seed is part of every failure. */
class BindingRobustnessTest {

    private static final int RUNS = 40_000;
    private static final int NFS = NfsBindings.NFS_PROGRAM;

    private final long seed = Long.getLong("io.nettyrdma.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private int found;

    @Test
    @Requirement({"V1-028"})
    void damagedCallsHaveNothingReducibleOutsideOfThem() {
        for (int run = 0; run < RUNS; run++) {
            ByteBuf call = damaged(call(), 40);
            run("call", run, call, () -> found += BindingChecks.checkCall(call));
        }
        assertThat(found).as("seed %d", seed).isGreaterThan(RUNS / 10);
    }

    @Test
    @Requirement({"V1-028"})
    void damagedRepliesHaveNothingReducibleOutsideOfThem() {
        for (int run = 0; run < RUNS; run++) {
            boolean compound = random.nextBoolean();
            ByteBuf reply = damaged(compound ? compoundReply() : readReply(), 24);
            BitSet reduced = BitSet.valueOf(new long[] {random.nextInt(8) == 0 ? random.nextInt(8) : 0});
            run(
                    "reply",
                    run,
                    reply,
                    () -> found += compound
                            ? BindingChecks.checkReply(NFS, 4, 1, reply, reduced)
                            : BindingChecks.checkReply(NFS, 3, 6, reply, reduced));
        }
        assertThat(found).as("seed %d", seed).isGreaterThan(RUNS / 10);
    }

    private void run(String what, int run, ByteBuf message, Runnable check) {
        try {
            check.run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + ", " + what + " " + run + ": " + message, e);
        }
    }

    private XdrMessage call() {
        switch (random.nextInt(4)) {
            case 0:
                return XdrMessage.call(NFS, 2, 8).zeros(11).opaque(random.nextInt(100));
            case 1:
                return XdrMessage.call(NFS, 3, random.nextInt(22))
                        .opaque(32)
                        .zeros(4)
                        .opaque(random.nextInt(100));
            case 2:
                return XdrMessage.call(NFS, 3, 10).opaque(27).opaque(9).zeros(6).opaque(random.nextInt(100));
            default:
                XdrMessage operations = XdrMessage.empty();
                for (int i = 0; i < 3; i++) {
                    Sample sample = sample();
                    operations.words(sample.number()).raw(sample.arguments());
                    operations.words(38, 1, 2, 3, 4, 0, 0, 2).opaque(random.nextInt(20));
                }
                return XdrMessage.call(NFS, 4, 1)
                        .opaque(random.nextInt(9))
                        .words(random.nextInt(3), 6)
                        .raw(operations);
        }
    }

    private XdrMessage compoundReply() {
        XdrMessage reply = XdrMessage.reply().words(0).opaque(random.nextInt(9)).words(6);
        for (int i = 0; i < 3; i++) {
            Sample sample = sample();
            reply.words(sample.number()).raw(sample.result());
            reply.words(25, 0, 1).opaque(random.nextInt(20));
        }
        return reply;
    }

    private XdrMessage readReply() {
        return XdrMessage.reply().words(0, 1).zeros(21).words(9, 1).opaque(random.nextInt(100));
    }

    private Sample sample() {
        List<Sample> all = Nfs4Samples.all();
        return all.get(random.nextInt(all.size()));
    }

    /** Mostly what lies behind the header changes, because nothing else is looked at otherwise. */
    private ByteBuf damaged(XdrMessage message, int headerBytes) {
        ByteBuf whole = message.behind(random.nextInt(3) * 4);
        int start = whole.readerIndex();
        for (int i = random.nextInt(4); i > 0; i--) {
            int from = random.nextInt(8) == 0 ? 0 : headerBytes;
            int at = from + random.nextInt(message.bytes() - from);
            whole.setByte(start + at, random.nextBoolean() ? random.nextInt(256) : random.nextInt(4));
        }
        int bytes = random.nextInt(3) == 0 ? random.nextInt(message.bytes() + 1) : message.bytes();
        return Unpooled.wrappedBuffer(whole.array(), 0, start + bytes).skipBytes(start);
    }
}
