// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.rpcping.Pinger;
import io.nettyrdma.examples.rpcping.RpcClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.net.InetSocketAddress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Pings an RPC program over RDMA, such as the Linux kernel's NFS server. */
@Command(name = "rpcping", description = "Calls the NULL procedure of an RPC program over RDMA, reports latencies.")
final class RpcpingCommand extends Program {

    @Option(
            names = "--program",
            defaultValue = "" + RpcPrograms.NFS,
            description = "RPC program number (default: ${DEFAULT-VALUE}, NFS)")
    private int program;

    @Option(names = "--rpc-version", defaultValue = "3", description = "program version (default: ${DEFAULT-VALUE})")
    private int version;

    @Mixin
    private RdmaVersionOption rdmaVersion;

    @Mixin
    private MessagesOption messages;

    @Mixin
    private LogOptions logOptions;

    @Mixin
    private final LoadOptions load = new LoadOptions(RpcPrograms.NFS_RDMA_PORT);

    @Override
    void run() throws Exception {
        print(Rdma.report());
        RpcRdmaConfig.Builder builder =
                RpcRdmaConfig.builder().maxCallsWaiting(load.inFlight()).callTimeout(load.timeout());
        rdmaVersion.applyTo(builder);
        messages.applyTo(builder, "rpcping", logOptions.to(this));
        RpcRdmaConfig config = builder.build();
        InetSocketAddress server = load.server();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            RpcClient client = RpcClient.connect(group, server, config);
            RpcCalls calls = new RpcCalls(client, server, config);
            Progress progress =
                    new Progress("rpcping", load.count(), spec.commandLine().getErr());
            Pinger.run(
                            client.channel().eventLoop(),
                            () -> calls.call(program, version, 0, RpcHeaders.SUCCESS),
                            load.count(),
                            load.inFlight(),
                            progress::onAnswer)
                    .sync();
            client.channel().close().sync();
            print(progress.summary());
        } finally {
            group.shutdownGracefully();
        }
    }
}
