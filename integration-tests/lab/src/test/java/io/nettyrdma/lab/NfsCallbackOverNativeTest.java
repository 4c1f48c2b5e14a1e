// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.lab.CallbackService.Recall;
import io.nettyrdma.lab.Nfs41Session.Delegation;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The kernel's NFS server calls its client over the connection that the client has made, see NfsCallbackLabTest. */
@Tag("native")
@Order(3)
class NfsCallbackOverNativeTest {

    private static final int NFS_RDMA_PORT = 20_049;
    private static final String NAME = "native-callback";
    private static final String DIRECTORY = "/export/" + NAME;

    private final MessageRecord messages = new MessageRecord();
    private final CallbackService callbacks = new CallbackService();
    private EventLoopGroup group;

    @BeforeEach
    void start() throws Exception {
        GuestShell.run("lab_nfsd /export && lab_nfsd_end_grace && mkdir " + DIRECTORY, Deadline.DURATION)
                .assertSucceeded();
        group = KernelDevice.group();
    }

    @AfterEach
    void stop() throws Exception {
        KernelDevice.end(group);
        GuestShell.run("lab_nfsd_expire_clients 'netty-rdma '; rm -rf " + DIRECTORY, Deadline.DURATION)
                .assertSucceeded();
    }

    @Test
    void kernelRecallsDelegationsOverTheConnectionOfItsClient() throws Exception {
        GuestShell.run("cd " + DIRECTORY + " && for i in 1 2; do echo before > file$i; done", Deadline.DURATION)
                .assertSucceeded();
        RpcRdmaClient client = RpcRdmaClient.builder(new Bootstrap()
                        .group(group)
                        .channel(RdmaChannel.class)
                        .remoteAddress(KernelDevice.address(NFS_RDMA_PORT))
                        .handler(new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline().addLast(new RpcRdmaReverseResponderHandler(), callbacks);
                            }
                        }))
                .config(RpcRdmaConfig.builder()
                        .callTimeout(Deadline.DURATION)
                        .reverseCredits(8)
                        .listener(messages)
                        .build())
                .build();
        try {
            Nfs41Session nfs = new Nfs41Session(
                    client, "netty-rdma " + UUID.randomUUID(), CallbackService.PROGRAM, Deadline.DURATION);
            for (int i = 1; i <= 2; i++) {
                Delegation delegation = nfs.open(NAME, "file" + i);
                assertThat(nfs.read(delegation)).isEqualTo("before\n");
                try (GuestShell writer =
                        GuestShell.start("echo after >> " + DIRECTORY + "/file" + i, Deadline.DURATION)) {
                    Recall recall = callbacks.next(Deadline.DURATION);
                    assertThat(recall.session()).isEqualTo(nfs.id());
                    assertThat(recall.sequence()).isEqualTo(i);
                    assertThat(recall.stateid()).isEqualTo(delegation.stateid());
                    recall.answer();
                    nfs.giveBack(delegation);
                    writer.await().assertSucceeded();
                }
                assertThat(nfs.read(delegation)).isEqualTo("before\nafter\n");
            }
            assertThat(nfs.statusFlags()).isZero();
        } finally {
            client.close();
        }
        assertThat(messages.channels).hasSize(1);
        assertThat(messages.rejected).isEmpty();
        assertThat(callbacks.strangers).isEmpty();
    }
}
