// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.nettyrdma.lab.RstreamRun.Calls;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Runs with one set of options, in one capture.
 *
 * <p>As the server, {@code rstream} closes the connection behind its last transfer. If a limit or an entry of ours then
 * arrives, Linux resets the connection, and bytes that it has not transmitted are lost. So the number of its words is
 * such that the last limit is due before its last exchange, after 56 words with 112 credits and after 8 with 16. The
 * buffers of {@link #asClient} hold all bytes of a run: no entry is due.
 */
enum RstreamRuns {
    MODES(112, modes()),
    BUFFERS(112, buffers()),
    /** The shortest queues that rsockets has, on both sides. */
    SHORT_QUEUES(16, shortQueues());

    /** More than the bytes of a run in each direction. */
    private static final int BUFFER_BYTES = 2 * 1024 * 1024;

    private final int credits;
    private final List<RstreamRun> runs;

    RstreamRuns(int credits, List<RstreamRun> runs) {
        this.credits = credits;
        this.runs = runs;
    }

    private static List<RstreamRun> modes() {
        List<RstreamRun> runs = new ArrayList<>();
        for (Calls calls : Calls.values()) {
            for (int size : new int[] {1, 5, 64, 65, 2048}) {
                runs.add(RstreamRun.verified(calls, size, 20, 2));
            }
            runs.add(RstreamRun.verified(calls, 65_536, 1, 2));
            runs.add(RstreamRun.verified(calls, 1_048_576, 1, 1));
        }
        runs.add(RstreamRun.verified(Calls.BLOCKING, 65_536, 1, 1).unverified());
        return runs;
    }

    private static List<RstreamRun> buffers() {
        return List.of(
                RstreamRun.verified(Calls.BLOCKING, 64, 2, 2).withBuffers(5),
                RstreamRun.verified(Calls.ASYNC, 7, 3, 2).withBuffers(5),
                RstreamRun.verified(Calls.BLOCKING, 65_536, 1, 1).withBuffers(1000),
                RstreamRun.verified(Calls.NONBLOCKING, 2048, 10, 2).withBuffers(1000),
                RstreamRun.verified(Calls.BLOCKING, 1_048_576, 1, 1).withBuffers(4_194_304));
    }

    private static List<RstreamRun> shortQueues() {
        return List.of(
                RstreamRun.verified(Calls.BLOCKING, 1, 7, 42),
                RstreamRun.verified(Calls.NONBLOCKING, 65, 7, 34),
                RstreamRun.verified(Calls.ASYNC, 5, 7, 10).withBuffers(1000),
                RstreamRun.verified(Calls.BLOCKING, 65_536, 1, 2),
                RstreamRun.verified(Calls.BLOCKING, 64, 7, 2).withBuffers(5));
    }

    /**
     * Returns also runs that have more words in an exchange than the queues have entries. They need {@code rstream}
     * as the client: it waits for an exchange of ours before it closes the connection.
     */
    List<RstreamRun> ofClients() {
        List<RstreamRun> all = new ArrayList<>(runs);
        if (this == SHORT_QUEUES) {
            all.add(RstreamRun.verified(Calls.BLOCKING, 1, 500, 2));
            all.add(RstreamRun.verified(Calls.NONBLOCKING, 65, 100, 2));
            all.add(RstreamRun.verified(Calls.ASYNC, 2048, 40, 2));
        }
        return all;
    }

    String lowerCase() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the words that either side may send before it needs a limit. */
    int credits() {
        return credits;
    }

    /** Returns the runs of {@code rstream} as the server. */
    List<RstreamRun> ofServers() {
        return runs;
    }

    /** Returns a command for the guest that has the shortest queues, if these runs need them. */
    String inTheGuest(String command) {
        return this == SHORT_QUEUES
                ? "trap lab_rsockets_defaults_end EXIT; lab_rsockets_queues " + credits + "\n" + command
                : command;
    }

    /** Sets what a client of these runs has to have. */
    @SuppressWarnings("deprecation") // Netty keeps the option
    Bootstrap asClient(Bootstrap client) {
        return client.option(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, credits)
                .option(ChannelOption.SO_RCVBUF, 2 * BUFFER_BYTES)
                .option(ChannelOption.RCVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(BUFFER_BYTES));
    }
}
