/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
import io.nettyrdma.lab.CallbackService.Recall;
import io.nettyrdma.lab.Nfs41Session.Delegation;
import io.nettyrdma.rpc.OncRpc;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.RpcRdmaRole;
import io.nettyrdma.rpc.RpcRdmaSummary;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The kernel's NFS server as a requester: it calls its client over the connection that the client has made, when somebody
 * in the guest writes to a file of which the client has a delegation. The writer waits until the delegation is back.
 */
@Lab
class NfsCallbackLabTest {
    private static final int NFS = 100_003;
    private static final int NFS_RDMA_PORT = 20049;
    private static final String NAME = "callback";
    private static final String DIRECTORY = "/export/" + NAME;
    /** What the kernel's server asks for, and never exceeds. */
    private static final int KERNEL_CREDITS = 2;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final MessageRecord messages = new MessageRecord();
    private final CallbackService callbacks = new CallbackService();
    private final List<RpcRdmaClient> clients = new ArrayList<>();
    private EventLoopGroup group;
    private int port;

    @BeforeEach
    void start(LabGuest guest) throws Exception {
        guest.startNfsServer();
        // A server that has just started gives no delegations until its clients of before have had time to come back,
        // and
        // those of its lock manager as well.
        guest.run(
                        "echo Y > /proc/fs/nfsd/v4_end_grace && echo Y > /proc/fs/lockd/nlm_end_grace && mkdir "
                                + DIRECTORY,
                        LIMIT)
                .assertSucceeded();
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        port = guest.forward(NFS_RDMA_PORT);
    }

    @AfterEach
    void stop(LabGuest guest) throws Exception {
        clients.forEach(client -> client.close().syncUninterruptibly());
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        // A delegation that nobody gives back would keep rm from its work.
        guest.run(
                        """
                        for info in $(grep -l 'name: "netty-rdma ' /proc/fs/nfsd/clients/*/info); do
                          echo expire > ${info%%info}ctl
                        done
                        rm -rf %s
                        """
                                .formatted(DIRECTORY),
                        LIMIT)
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
                        .callTimeout(LIMIT)
                        .reverseCredits(reverseCredits)
                        .listener(messages)
                        .build())
                .build();
        clients.add(client);
        return client;
    }

    private static Nfs41Session session(RpcRdmaClient client) throws Exception {
        return new Nfs41Session(client, "netty-rdma " + UUID.randomUUID(), CallbackService.PROGRAM, LIMIT);
    }

    /** Files of one line each. */
    private static void makeFiles(LabGuest guest, int count) throws Exception {
        inGuest(guest, "for i in {1.." + count + "}; do echo before > file$i; done");
    }

    private static String inGuest(LabGuest guest, String commands) throws Exception {
        return guest.run("cd " + DIRECTORY + " && " + commands, LIMIT)
                .assertSucceeded()
                .output()
                .strip();
    }

    /** Writes a second line to some of the files, at the same time, and returns when all of them wait to be let in. */
    private static GuestCommand write(LabGuest guest, int first, int last) throws Exception {
        GuestCommand writer = guest.start(
                "cd " + DIRECTORY + " && for i in {" + first + ".." + last + "}; do echo after >> file$i & done; wait",
                LIMIT);
        guest.run(
                        "lab_await 30 'delegations to be recalled' eval '(($(grep -c \"DELEG *BREAK\" /proc/locks) == "
                                + (last - first + 1) + "))'",
                        LIMIT)
                .assertSucceeded();
        return writer;
    }

    /** Calls in the forward direction, as many at a time as the server grants. */
    private static void callForward(RpcRdmaClient client) throws Exception {
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            replies.add(client.call(OncRpc.call(ByteBufAllocator.DEFAULT, client.nextXid(), NFS, 4, 0)));
        }
        for (Future<ByteBuf> future : replies) {
            ByteBuf reply = future.get(LIMIT.toSeconds() + 10, TimeUnit.SECONDS);
            assertThat(OncRpc.acceptStatus(reply)).isEqualTo(OncRpc.SUCCESS);
            reply.release();
        }
    }

    private List<RpcRdmaSummary> reverse(List<RpcRdmaSummary> of) {
        return of.stream()
                .filter(message -> message.role() == RpcRdmaRole.RESPONDER)
                .toList();
    }

    @Test
    @Requirement("BIS-015")
    void kernelRecallsADelegationOverTheConnectionOfItsClient(LabGuest guest) throws Exception {
        makeFiles(guest, 3);
        Path file;
        try (Capture capture = Capture.ofPort("nfs-callback", port)) {
            RpcRdmaClient client = connect(8);
            Nfs41Session nfs = session(client);
            for (int i = 1; i <= 3; i++) {
                Delegation delegation = nfs.open(NAME, "file" + i);
                assertThat(nfs.read(delegation)).isEqualTo("before\n");

                GuestCommand writer = write(guest, i, i);
                Recall recall = callbacks.next(LIMIT);
                assertThat(recall.session()).isEqualTo(nfs.id());
                assertThat(recall.sequence()).isEqualTo(i);
                assertThat(recall.stateid()).isEqualTo(delegation.stateid());
                assertThat(recall.file()).isEqualTo(delegation.file());
                callForward(client);
                assertThat(nfs.read(delegation)).isEqualTo("before\n");

                recall.answer();
                nfs.giveBack(delegation);
                writer.await().assertSucceeded();
                assertThat(nfs.read(delegation)).isEqualTo("before\nafter\n");
            }
            assertThat(nfs.statusFlags()).isZero();
            file = capture.stop();
        }
    }
}
