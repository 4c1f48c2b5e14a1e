// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.lab.CallbackService.Recall;
import io.nettyrdma.lab.Nfs41Session.Delegation;
import io.nettyrdma.lab.Tshark.Payload;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import io.nettyrdma.rpc.observe.RpcRdmaSummary.Procedure;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The kernel's NFS server as a requester: it calls its client over the connection that the client has made, when
 * somebody in the guest writes to a file of which the client has a delegation. The writer waits until the delegation is
 * back.
 */
@Lab
class NfsCallbackLabTest {
    private static final int NFS = 100_003;
    private static final int NFS_RDMA_PORT = 20049;
    private static final String NAME = "callback";
    private static final String DIRECTORY = "/export/" + NAME;
    /** {@code SEQ4_STATUS_BACKCHANNEL_FAULT}: nfsd is not satisfied with an answer. */
    private static final int BACKCHANNEL_FAULT = 0x400;

    private static final int RECALLS = 2;
    private static final int REVERSE_CREDITS = 8;
    /** What the kernel's server asks for, and how many calls it makes at a time. */
    private static final int KERNEL_CREDITS = 2;

    private final MessageRecord messages = new MessageRecord();
    private final CallbackService callbacks = new CallbackService();
    private final List<RpcRdmaClient> clients = new ArrayList<>();
    private EventLoopGroup group;
    private int port;

    @BeforeEach
    void start(LabGuest guest) throws Exception {
        guest.startNfsServer();
        guest.run("lab_nfsd_end_grace && mkdir " + DIRECTORY, Deadline.DURATION).assertSucceeded();
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        port = guest.forward(NFS_RDMA_PORT);
    }

    @AfterEach
    void stop(LabGuest guest) throws Exception {
        clients.forEach(RpcRdmaClient::close);
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        guest.run("lab_nfsd_expire_clients 'netty-rdma '; rm -rf " + DIRECTORY, Deadline.DURATION)
                .assertSucceeded();
    }

    private RpcRdmaClient connect(int reverseCredits) {
        RpcRdmaClient client = RpcRdmaClient.builder(new Bootstrap()
                        .group(group)
                        .channel(RdmaChannel.class)
                        .remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .handler(new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline().addLast(new RpcRdmaReverseResponderHandler(), callbacks);
                            }
                        }))
                .config(RpcRdmaConfig.builder()
                        .callTimeout(Deadline.DURATION)
                        .reverseCredits(reverseCredits)
                        .listener(messages)
                        .build())
                .build();
        clients.add(client);
        return client;
    }

    private static Nfs41Session session(RpcRdmaClient client) throws Exception {
        return new Nfs41Session(client, "netty-rdma " + UUID.randomUUID(), CallbackService.PROGRAM, Deadline.DURATION);
    }

    /** Files of one line each. */
    private static void makeFiles(LabGuest guest, int count) throws Exception {
        inGuest(guest, "for i in {1.." + count + "}; do echo before > file$i; done");
    }

    private static String inGuest(LabGuest guest, String commands) throws Exception {
        return guest.run("cd " + DIRECTORY + " && " + commands, Deadline.DURATION)
                .assertSucceeded()
                .output()
                .strip();
    }

    /** Starts to write a second line to some of the files, to all of them at the same time. */
    private static GuestCommand write(LabGuest guest, int first, int last) throws Exception {
        return guest.start(
                "cd " + DIRECTORY + " && for i in {" + first + ".." + last + "}; do echo after >> file$i & done; wait",
                Deadline.DURATION);
    }

    /** Calls in the forward direction, more than the server grants at a time. */
    private static void callForward(RpcRdmaClient client) throws Exception {
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            replies.add(client.call(RpcHeaders.call(ByteBufAllocator.DEFAULT, client.nextXid(), NFS, 4, 0)));
        }
        for (Future<ByteBuf> future : replies) {
            ByteBuf reply = future.get(Deadline.SECONDS + 10, TimeUnit.SECONDS);
            assertThat(RpcHeaders.acceptStatus(reply)).isEqualTo(RpcHeaders.SUCCESS);
            reply.release();
        }
    }

    private static List<RpcRdmaSummary> reverse(List<RpcRdmaSummary> all) {
        return all.stream()
                .filter(message -> message.role() == RpcRdmaRole.RESPONDER)
                .toList();
    }

    /** What the server knows about a client. */
    private static String nfsdOn(LabGuest guest, String client, String what) throws Exception {
        return inGuest(guest, "cat $(dirname $(grep -l '%s' /proc/fs/nfsd/clients/*/info))/%s".formatted(client, what));
    }

    /** Judges a capture and returns what is to be said of its calls in the reverse direction. */
    private CreditCheck.Direction assertGood(Path file) throws Exception {
        return assertGoodButForCredits(file).assertGood().reverse();
    }

    private CreditCheck.Report assertGoodButForCredits(Path file) throws Exception {
        assertThat(messages.rejected).isEmpty();
        assertThat(callbacks.strangers).isEmpty();
        CaptureReport report = CaptureCheck.of(file, Payload.RPC_OVER_RDMA).assertGood();
        assertThat(report.terminateCount()).isZero();
        assertThat(report.crcCount()).isEqualTo(report.fpduCount());
        CreditCheck.Report credits = CreditCheck.of(file);
        assertThat(report.callCount())
                .isEqualTo(credits.forward().callCount() + credits.reverse().callCount());
        assertThat(report.replyCount()).isEqualTo(report.callCount());
        ChunkCheck.Report chunks = ChunkCheck.of(file).assertGood();
        assertThat(chunks.reverseMessages())
                .isEqualTo(credits.reverse().callCount() + credits.reverse().replyCount());
        return credits;
    }

    /** That the kernel takes the answers shows in the sequence numbers, which would not go on otherwise. */
    @Test
    @Requirement("BIS-015")
    void kernelRecallsDelegationsOverTheConnectionOfItsClient(LabGuest guest) throws Exception {
        makeFiles(guest, RECALLS);
        Path file;
        try (Capture capture = Capture.ofPort("nfs-callback", port)) {
            RpcRdmaClient client = connect(REVERSE_CREDITS);
            Nfs41Session nfs = session(client);
            for (int i = 1; i <= RECALLS; i++) {
                Delegation delegation = nfs.open(NAME, "file" + i);
                assertThat(nfs.read(delegation)).isEqualTo("before\n");
                assertThat(nfsdOn(guest, nfs.owner(), "states")).contains("type: deleg");

                GuestCommand writer = write(guest, i, i);
                Recall recall = callbacks.next(Deadline.DURATION);
                assertThat(recall.session()).isEqualTo(nfs.id());
                assertThat(recall.sequence()).isEqualTo(i);
                assertThat(recall.stateid()).isEqualTo(delegation.stateid());
                assertThat(recall.file()).isEqualTo(delegation.file());
                callForward(client);
                assertThat(nfs.read(delegation)).isEqualTo("before\n");

                recall.answer();
                callForward(client);
                nfs.giveBack(delegation);
                writer.await().assertSucceeded();
                assertThat(nfs.read(delegation)).isEqualTo("before\nafter\n");
                assertThat(nfsdOn(guest, nfs.owner(), "states")).doesNotContain("type: deleg");
            }
            assertThat(nfs.statusFlags()).isZero();
            assertThat(nfsdOn(guest, nfs.owner(), "info")).contains("callback state: UP");
            file = capture.stop();
        }
        assertThat(messages.channels).hasSize(1);
        assertThat(reverse(messages.received)).hasSize(RECALLS).allSatisfy(call -> {
            assertThat(call.procedure()).isEqualTo(Procedure.RDMA_MSG);
            assertThat(call.headerBytes()).isEqualTo(28); // no chunks
            assertThat(call.credits()).isEqualTo(KERNEL_CREDITS);
        });
        assertThat(reverse(messages.sent)).hasSize(RECALLS).allSatisfy(reply -> {
            assertThat(reply.headerBytes()).isEqualTo(28);
            assertThat(reply.credits()).isEqualTo(REVERSE_CREDITS);
        });
        assertThat(assertGood(file)).isEqualTo(new CreditCheck.Direction(RECALLS, RECALLS, 1, REVERSE_CREDITS));
    }

    /**
     * Several NFS clients share the connection, since the kernel makes one callback at a time to each of them. It does
     * not look at the grants, so that one credit is too few for it; the receives in reserve take the other call.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, REVERSE_CREDITS})
    @Requirement("BIS-015")
    void kernelCallsTwiceAtATimeWhateverItWasGranted(int granted, LabGuest guest) throws Exception {
        int count = 5;
        makeFiles(guest, count);
        Path file;
        try (Capture capture = Capture.ofPort("nfs-callback-credits-" + granted, port)) {
            RpcRdmaClient client = connect(granted);
            List<Nfs41Session> sessions = new ArrayList<>();
            List<Delegation> delegations = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                Nfs41Session nfs = session(client);
                sessions.add(nfs);
                delegations.add(nfs.open(NAME, "file" + i));
            }
            GuestCommand writer = write(guest, 1, count);
            Recall first = callbacks.next(Deadline.DURATION);
            for (int i = 1; i < count; i++) {
                Recall second = callbacks.next(Deadline.DURATION);
                callForward(client);
                assertThat(callbacks.hasNext()).isFalse();
                first.answer();
                first = second;
            }
            first.answer();
            for (int i = 0; i < count; i++) {
                sessions.get(i).giveBack(delegations.get(i));
            }
            writer.await().assertSucceeded();
            assertThat(sessions).allSatisfy(nfs -> assertThat(nfs.statusFlags()).isZero());
            file = capture.stop();
        }
        assertThat(messages.channels).hasSize(1);
        CreditCheck.Report credits = assertGoodButForCredits(file);
        assertThat(credits.problems()).isNotEmpty().allSatisfy(problem -> assertThat(problem)
                .contains("reverse call with 1 outstanding and 1 granted"));
        assertThat(credits.reverse()).isEqualTo(new CreditCheck.Direction(count, count, KERNEL_CREDITS, granted));
    }

    @Test
    void kernelCallsOverTheConnectionThatTookThePlaceOfALostOne(LabGuest guest) throws Exception {
        makeFiles(guest, 1);
        RpcRdmaClient client = connect(REVERSE_CREDITS);
        Nfs41Session nfs = session(client);
        Delegation delegation = nfs.open(NAME, "file1");
        Channel lost = messages.channels.iterator().next();
        lost.close().sync();

        nfs.bindConnection();
        GuestCommand writer = write(guest, 1, 1);
        Recall recall = callbacks.next(Deadline.DURATION);
        assertThat(recall.channel()).isNotSameAs(lost);
        recall.answer();
        nfs.giveBack(delegation);
        writer.await().assertSucceeded();
        assertThat(messages.rejected).isEmpty();
        assertThat(callbacks.strangers).isEmpty();
    }

    /**
     * It drops errors, so that its call lasts until its timeout, and no other is made to this client meanwhile. Linux
     * 6.12 makes it again then, before any other; 6.1 does not.
     */
    @Test
    void errorCostsTheKernelATimeoutButNotTheConnection(LabGuest guest) throws Exception {
        makeFiles(guest, 2);
        Path file;
        int calls = 2;
        try (Capture capture = Capture.ofPort("nfs-callback-error", port)) {
            RpcRdmaClient client = connect(REVERSE_CREDITS);
            Nfs41Session nfs = session(client);
            Delegation one = nfs.open(NAME, "file1");
            Delegation other = nfs.open(NAME, "file2");
            GuestCommand writer = write(guest, 1, 2);

            Recall refused = callbacks.next(Deadline.DURATION);
            boolean oneIsRefused = refused.file().equals(one.file());
            refused.refuse();
            callForward(client);
            nfs.giveBack(oneIsRefused ? one : other);
            Recall next = callbacks.next(Deadline.DURATION);
            if (next.file().equals(refused.file())) {
                next.answer();
                next = callbacks.next(Deadline.DURATION);
                calls++;
            }
            next.answer();
            nfs.giveBack(oneIsRefused ? other : one);
            writer.await().assertSucceeded();
            nfs.renew();
            assertThat(nfs.statusFlags()).isEqualTo(BACKCHANNEL_FAULT);
            file = capture.stop();
        }
        assertThat(reverse(messages.sent))
                .hasSize(calls)
                .extracting(RpcRdmaSummary::procedure)
                .startsWith(Procedure.ERR_CHUNK)
                .endsWith(Procedure.RDMA_MSG)
                .containsOnlyOnce(Procedure.ERR_CHUNK);
        assertThat(messages.channels).hasSize(1);
        assertThat(assertGood(file)).isEqualTo(new CreditCheck.Direction(calls, calls, 1, REVERSE_CREDITS));
    }
}
