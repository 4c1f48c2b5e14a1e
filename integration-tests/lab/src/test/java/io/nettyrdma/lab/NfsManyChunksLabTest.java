// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.observe.RpcRdmaSummary.Procedure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the kernel's NFS server does with several read chunks in a call, and that it takes what this project sends
 * instead unless told otherwise. What the kernel cannot do is a skipped test that names its version.
 */
@Lab
class NfsManyChunksLabTest {
    private static final int NFS_RDMA_PORT = 20049;
    private static final String NAME = "chunks";
    private static final String DIRECTORY = "/export/" + NAME;

    /** For a call that the kernel may leave unanswered. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    // Neither fits into a message of 1024 octets beside the other; the requester pads one chunk of a call at most.
    private static final String[] TARGETS = {"a/".repeat(450) + "a", "b/".repeat(452)};

    private final MessageRecord messages = new MessageRecord();
    private EventLoopGroup group;

    @BeforeEach
    void start(LabGuest guest) throws Exception {
        guest.startNfsServer();
        guest.run("lab_nfsd_end_grace && mkdir " + DIRECTORY, Deadline.DURATION).assertSucceeded();
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop(LabGuest guest) throws Exception {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        guest.run("rm -rf " + DIRECTORY, Deadline.DURATION).assertSucceeded();
    }

    private RpcRdmaClient connect(LabGuest guest, RpcRdmaConfig.Builder config) throws Exception {
        CallbackService callbacks = new CallbackService();
        return RpcRdmaClient.builder(new Bootstrap()
                        .group(group)
                        .channel(RdmaChannel.class)
                        .remoteAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), guest.forward(NFS_RDMA_PORT)))
                        .handler(new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline().addLast(new RpcRdmaReverseResponderHandler(), callbacks);
                            }
                        }))
                .config(config.callTimeout(Deadline.DURATION)
                        .reverseCredits(2)
                        .listener(messages)
                        .build())
                .build();
    }

    private static String inGuest(LabGuest guest, String commands) throws Exception {
        return guest.run("cd " + DIRECTORY + " && " + commands, Deadline.DURATION)
                .assertSucceeded()
                .output()
                .strip();
    }

    /** Makes two symbolic links with one call; returns what became of it. */
    private String link(LabGuest guest, RpcRdmaConfig.Builder config) throws Exception {
        RpcRdmaClient client = connect(guest, config.withoutPrivateData());
        try {
            Nfs41Session nfs = new Nfs41Session(
                    client, "netty-rdma " + UUID.randomUUID(), CallbackService.PROGRAM, Deadline.DURATION);
            nfs.link(NAME, PATIENCE, TARGETS);
            return "done";
        } catch (ExecutionException e) {
            return e.getCause().toString();
        } catch (IOException e) {
            return e.toString();
        } finally {
            client.close();
        }
    }

    private void assertLinked(LabGuest guest) throws Exception {
        for (int i = 0; i < TARGETS.length; i++) {
            assertThat(inGuest(guest, "readlink link" + i)).isEqualTo(TARGETS[i]);
        }
    }

    @Test
    void kernelTakesTwoLongArgumentsInALongCall(LabGuest guest) throws Exception {
        assertThat(link(guest, RpcRdmaConfig.builder())).isEqualTo("done");
        assertThat(messages.lastSent().procedure()).isEqualTo(Procedure.RDMA_NOMSG);
        assertThat(messages.lastSent().readSegments()).isEqualTo(1);
        assertLinked(guest);
    }

    @Test
    void kernelTakesAReadChunkForEachOfTwoArguments(LabGuest guest) throws Exception {
        String outcome = link(guest, TestLimits.readChunksPerCall(RpcRdmaConfig.builder(), 2));
        assertThat(messages.lastSent().procedure()).isEqualTo(Procedure.RDMA_MSG);
        assertThat(messages.lastSent().readSegments()).isEqualTo(2);
        assumeThat(outcome)
                .as("what Linux %s makes of a call with two read chunks", inGuest(guest, "uname -r"))
                .isEqualTo("done");
        assertLinked(guest);
    }
}
