// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.faults.FaultedCalls.Kind;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import io.nettyrdma.verbs.soft.faults.Sweep;
import io.nettyrdma.verbs.soft.faults.SweepProgress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One fault at a time in an exchange of every kind: in the network, octet by octet, and in the messages themselves,
 * word by word. Every call ends exactly once, nothing stays exposed or allocated, and another connection does not
 * notice.
 */
@Over
@ExtendWith(NoVerbsLeft.class)
@Tag("sweep")
final class RpcFaultSweepTest {

    /** Runs that are under way together; many where there are many, as all of them wait for the same time-out. */
    private static final int RUNS = Sweep.isOfEverything() ? 128 : 32;

    @ParameterizedTest
    @EnumSource
    @Requirement({"V1-102"})
    void networkThatBreaksAnywhereEndsEachCallOnceAndLeavesNothing(Fault fault) throws Exception {
        try (FaultedCalls calls = new FaultedCalls();
                FaultRelay relay = new FaultRelay(calls.address(), FaultPlan.none(), FaultPlan.none()).start()) {
            for (Kind kind : Kind.values()) {
                calls.checkWhole(kind, relay.address());
                sweep(calls, relay, kind, fault);
            }
        }
    }

    private void sweep(FaultedCalls calls, FaultRelay relay, Kind kind, Fault fault) throws Exception {
        long forth = relay.forthOctets();
        long back = relay.backOctets();
        calls.checkWhole(kind, relay.address());
        forth = relay.forthOctets() - forth;
        back = relay.backOctets() - back;
        int stride = fault == Fault.STALL ? 151 : 31;
        int[] positions = Sweep.positions(HANDSHAKE_BYTES, (int) (forth + back) - HANDSHAKE_BYTES, stride);
        String name = getClass().getSimpleName() + ", " + fault + ", " + kind;
        long forthOctets = forth;
        SweepProgress.over(name, positions.length, progress -> {
            List<Endings> runs = new ArrayList<>();
            for (int octet : positions) {
                boolean isForth = octet < forthOctets;
                FaultPlan plan = fault.at(isForth ? octet : octet - forthOctets + HANDSHAKE_BYTES);
                relay.plans(isForth ? plan : FaultPlan.none(), isForth ? FaultPlan.none() : plan);
                String what = (isForth ? "requester: " : "responder: ") + plan;
                progress.at(what);
                Endings run = calls.begin(kind, relay.address());
                run.what = what;
                runs.add(run);
                if (runs.size() == RUNS) {
                    calls.end(runs);
                    relay.drop();
                    runs.clear();
                }
            }
            calls.end(runs);
            relay.drop();
        });
        relay.plans(FaultPlan.none(), FaultPlan.none());
    }

    /** Of each of the two MPA frames with our private data; {@link HandshakeFaultsTest} sweeps them. */
    private static final int HANDSHAKE_BYTES = 32;

    /** Changes the n-th Send of one side. */
    private static final class Meddler extends ChannelOutboundHandlerAdapter {
        private final int target;
        private final Meddling meddling;
        private final int word;
        private int sends;

        Meddler(int target, Meddling meddling, int word) {
            this.target = target;
            this.meddling = meddling;
            this.word = word;
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            boolean isSend = message instanceof ByteBuf || message instanceof RdmaSend;
            if (!isSend || ++sends != target) {
                ctx.write(message, promise);
                return;
            }
            ByteBuf content = message instanceof ByteBuf plain ? plain : ((ByteBufHolder) message).content();
            ByteBuf changed = ctx.alloc().directBuffer(content.readableBytes()).writeBytes(content.duplicate());
            if (meddling == Meddling.DUPLICATE) {
                ctx.write(message, promise);
                ctx.writeAndFlush(changed);
                return;
            }
            content.release();
            int at = 4 * word;
            if (meddling == Meddling.TRUNCATE) {
                changed.writerIndex(Math.max(4, Math.min(at, changed.writerIndex())));
            } else if (at < changed.writerIndex()) {
                changed.setInt(at, meddling.value(changed.getInt(at)));
            }
            ctx.write(changed, promise);
        }
    }

    enum Meddling {
        LOW_BIT,
        HIGH_BIT,
        ALL_BITS,
        ZERO,
        TRUNCATE,
        DUPLICATE;

        int value(int word) {
            return switch (this) {
                case LOW_BIT -> word ^ 1;
                case HIGH_BIT -> word ^ 0x80000000;
                case ALL_BITS -> ~word;
                default -> 0;
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"V1-102", "V1-107"})
    void messageThatIsWrongInAnyWordEndsEachCallOnceAndLeavesNothing(Meddling meddling) throws Exception {
        Logs.allow(RpcRdmaObserver.class.getName(), ""); // of wrong words, all kinds
        try (FaultedCalls calls = new FaultedCalls()) {
            for (Kind kind : Kind.values()) {
                int[] words = Sweep.positions(0, HEADER_WORDS, WORD_STRIDE);
                String name = getClass().getSimpleName() + ", " + meddling + ", " + kind;
                SweepProgress.over(name, 2 * words.length, progress -> meddle(calls, kind, meddling, words, progress));
            }
        }
    }

    private static void meddle(FaultedCalls calls, Kind kind, Meddling meddling, int[] words, SweepProgress progress)
            throws Exception {
        List<Endings> runs = new ArrayList<>();
        for (int word : words) {
            for (boolean ofRequester : new boolean[] {true, false}) {
                String what = kind + ", word " + word + (ofRequester ? " of the call" : " of the reply");
                progress.at(what);
                ChannelHandler meddler = new Meddler(FaultedCalls.UNDER_TEST, meddling, word);
                calls.meddler = () -> ofRequester ? new ChannelOutboundHandlerAdapter() : meddler;
                ChannelHandler between = ofRequester ? meddler : new ChannelOutboundHandlerAdapter();
                Endings run = calls.begin(kind, calls.address(), between, false);
                run.what = what;
                runs.add(run);
            }
        }
        calls.end(runs);
    }

    /** Of the longest header here, and the first words behind it. */
    private static final int HEADER_WORDS = 24;

    private static final int WORD_STRIDE = 3;
}
