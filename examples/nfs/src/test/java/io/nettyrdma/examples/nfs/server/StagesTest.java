// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Procedure;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a TCP connection may have of the server, with workers that work when the test says so, and a clock that stands.
 */
class StagesTest {

    private static final int CALLS = 500;

    @TempDir
    Path directory;

    private final ArrayDeque<Runnable> work = new ArrayDeque<>();
    private final List<String> log = new ArrayList<>();
    private boolean peerReads = true;
    private Export store;
    private EmbeddedChannel channel;

    @BeforeEach
    void open() throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        store = new Export(export, 100, log::add);
        channel = new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1000);
            }

            @Override
            protected void doWrite(ChannelOutboundBuffer replies) throws Exception {
                if (peerReads) {
                    super.doWrite(replies);
                }
            }
        };
        channel.freezeTime();
    }

    @AfterEach
    void close() throws Exception {
        while (!work.isEmpty()) {
            work.remove().run();
        }
        channel.finishAndReleaseAll();
        store.close();
    }

    private void mount() {
        Stages.addOverTcp(channel, 4096, new MountProgram(store, work::add, line -> {}));
        channel.pipeline().fireChannelActive();
    }

    private Nfs3Program nfs() throws Exception {
        Nfs3Program program = new Nfs3Program(store, false, work::add, log::add, null);
        Stages.addOverTcp(channel, 1 << 20, program);
        channel.pipeline().fireChannelActive();
        return program;
    }

    private static ByteBuf calls(int program, int procedure, int count) {
        ByteBuf calls = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            calls.writeInt(0x8000_0000 | 40)
                    .writeInt(i)
                    .writeInt(0)
                    .writeInt(2)
                    .writeInt(program)
                    .writeInt(3)
                    .writeInt(procedure)
                    .writeZero(16);
        }
        return calls;
    }

    /** Executes what waits for a worker, once. */
    private void executeOne() {
        work.remove().run();
        channel.runPendingTasks();
    }

    @Test
    void aConnectionHasOneMountCallAtATime() {
        mount();
        channel.writeInbound(calls(RpcPrograms.MOUNT, 2, CALLS));
        assertThat(work.size()).isEqualTo(1);
        executeOne();
        channel.advanceTimeBy(100, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        assertThat(work.size()).as("the next when the first is answered").isEqualTo(1);
    }

    @Test
    void aConnectionHasFewNfsCallsAtATime() throws Exception {
        nfs();
        channel.writeInbound(calls(RpcPrograms.NFS, Nfs3Procedure.NULL.number(), CALLS));
        assertThat(work.size()).isEqualTo(16);
        executeOne();
        assertThat(work.size()).as("an answer makes room for one").isEqualTo(16);
    }

    @Test
    void repliesThatAreNotTakenStopTheCallsOfTheirConnection() throws Exception {
        nfs();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        channel.runPendingTasks();
        channel.writeInbound(calls(RpcPrograms.NFS, Nfs3Procedure.NULL.number(), CALLS));
        assertThat(work.size()).isLessThanOrEqualTo(1);
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        channel.runPendingTasks();
        assertThat(work.size()).isEqualTo(16);
    }

    @Test
    void everyCallIsAnsweredHoweverManyHadToWait() throws Exception {
        nfs();
        channel.writeInbound(calls(RpcPrograms.NFS, Nfs3Procedure.NULL.number(), CALLS));
        for (int i = 0; i < CALLS; i++) {
            assertThat(work.size()).isLessThanOrEqualTo(16);
            executeOne();
        }
        int answers = 0;
        for (ByteBuf part; (part = channel.readOutbound()) != null; part.release()) {
            answers += part.readableBytes() == 4 ? 1 : 0; // the record mark
        }
        assertThat(answers).isEqualTo(CALLS);
    }

    @Test
    void connectionThatTakesNoReplyEnds() throws Exception {
        nfs();
        peerReads = false;
        channel.writeInbound(calls(RpcPrograms.NFS, Nfs3Procedure.NULL.number(), 2));
        executeOne();
        pass(31);
        executeOne(); // what waits changes, so it is too early to judge
        pass(30);
        assertThat(channel.isOpen()).isTrue();
        pass(31);
        assertThat(channel.isOpen()).isFalse();
        assertThat(log).singleElement().asString().contains("read none of its replies for 30 s");
    }

    private void pass(int seconds) {
        channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void callsOfAConnectionThatHasEndedAreNotExecuted() throws Exception {
        Nfs3Program program = nfs();
        channel.writeInbound(calls(RpcPrograms.NFS, Nfs3Procedure.NULL.number(), 2));
        channel.close();
        while (!work.isEmpty()) {
            executeOne();
        }
        assertThat(program.summary()).startsWith("0 calls");
    }

    @Test
    void listsOfABusyMountDaemonAreEmptyAndNotCutShort() {
        Stages.addOverTcp(
                channel,
                4096,
                new MountProgram(
                        store,
                        task -> {
                            throw new RejectedExecutionException();
                        },
                        log::add));
        for (MountProcedure procedure : new MountProcedure[] {MountProcedure.DUMP, MountProcedure.EXPORT}) {
            channel.writeInbound(calls(RpcPrograms.MOUNT, procedure.number(), 1));
            channel.runPendingTasks();
            pass(1);
            List<ByteBuf> parts = List.of(channel.readOutbound(), channel.readOutbound());
            String reply = ByteBufUtil.hexDump(parts.get(1));
            parts.forEach(ByteBuf::release);
            assertThat(reply).as(procedure.name()).hasSize(2 * (24 + 4)).endsWith("00000000"); // no entry follows
        }
    }
}
