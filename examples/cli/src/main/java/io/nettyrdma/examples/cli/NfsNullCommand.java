// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.net.InetSocketAddress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The smallest NFS server. */
@Command(
        name = "nfs-null",
        description = {
            "Answers the NULL procedure of NFS 2, 3 and 4 over RDMA and rejects every other call as unavailable."
                    + " Stop it with Ctrl-C.",
            "The Linux kernel's mount finds it with proto=rdma,port=PORT."
        })
final class NfsNullCommand extends Program {

    @Mixin
    private final ListenOptions listen = new ListenOptions(RpcPrograms.NFS_RDMA_PORT);

    @Mixin
    private RdmaVersionOption rdmaVersion;

    @Mixin
    private MessagesOption messages;

    @Mixin
    private LogOptions logOptions;

    @Override
    void run() throws Exception {
        print(Rdma.report());
        RpcRdmaConfig.Builder config = RpcRdmaConfig.builder();
        PeerLog peers = logOptions.to(this);
        rdmaVersion.applyTo(config);
        messages.applyTo(config, "nfs-null", peers);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
        try {
            InetSocketAddress address = listen.address();
            Channel listener = Addresses.awaitBound(
                    GuardedNfsNull.start(group, address, config.build(), listen.limits(), peers), address);
            print("nfs-null listens on " + listener.localAddress());
            listener.closeFuture().sync();
        } finally {
            group.shutdownGracefully();
        }
    }
}
